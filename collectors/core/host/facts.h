/* Facts about this node, read cheaply from files only. */
#ifndef ADVISOR_FACTS_H
#define ADVISOR_FACTS_H

#include <stddef.h>

/* Fills `facts` with lines key \t value \t source \n. What cannot be told is left out. */
void facts_of_node(char *facts, size_t size);
/* The same from a copy of another host's /proc, /sys and /dev. */
void facts_below(const char *root, char *facts, size_t size);
/* One fact more. */
void facts_add(char *facts, size_t size, const char *key, const char *value, const char *source);

#endif
