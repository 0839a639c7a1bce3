/* One host's facts while they are written. */
#ifndef ADVISOR_SHEET_H
#define ADVISOR_SHEET_H

#include <dirent.h>
#include <stddef.h>

/* `root`: where /proc, /sys and /dev lie: "" for this host, a folder for a copy of another one's.
 */
struct sheet {
    char *facts;
    size_t size;
    const char *root;
};

void put(struct sheet *sheet, const char *key, const char *value, const char *source);
void put_number(struct sheet *sheet, const char *key, unsigned long long value, const char *source);
void put_truth(struct sheet *sheet, const char *key, int value, const char *source);
void put_line(struct sheet *sheet, const char *key,
              const char *path); /* the first line of a file, if it can be read */
int first_line(const struct sheet *sheet, const char *path, char *line, size_t size);
int whole_file(const struct sheet *sheet, const char *path, char *text, size_t size);
DIR *open_folder(const struct sheet *sheet, const char *path);
int is_there(const struct sheet *sheet, const char *path);
int may_use(const struct sheet *sheet, const char *path); /* read and write */
void last_of_link(const struct sheet *sheet, const char *path, char *name,
                  size_t size); /* "" if it is no link */

void networks(struct sheet *sheet);
void cpu_groups(struct sheet *sheet); /* CPUs of each memory domain and third-level cache */
void devices(struct sheet *sheet); /* accelerators, and ways to copy between processes */
void gpu_domains(struct sheet *sheet);
void limits(struct sheet *sheet);  /* of control groups and containers */

#endif
