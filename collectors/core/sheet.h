/* One host's facts while they are written. */
#ifndef ADVISOR_SHEET_H
#define ADVISOR_SHEET_H

#include <stddef.h>

struct sheet { char *facts; size_t size; };

void put(struct sheet *sheet, const char *key, const char *value, const char *source);
void put_number(struct sheet *sheet, const char *key, unsigned long long value, const char *source);
void put_truth(struct sheet *sheet, const char *key, int value, const char *source);
void put_line(struct sheet *sheet, const char *key, const char *path);   /* the first line of a file, if it can be read */
int first_line(const char *path, char *line, size_t size);

void devices(struct sheet *sheet);   /* networks and accelerators */

#endif
