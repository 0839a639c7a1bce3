/* What ends the program: an archive that cannot be read, and memory that is not there. */
#ifndef ADVISOR_OTF2_ERRORS_H
#define ADVISOR_OTF2_ERRORS_H

#include <stddef.h>

struct stream;

/* One sentence on standard output, and the end: what the archive does not let us read; with the event that this thread is at. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Which one that is. NULL: none. where: "at" the last event of it, or "behind" it. */
void now_reads(const struct stream *stream, const char *where);

/* Of `count` elements; they die where there is no room. */
void *xrealloc(void *old, size_t count, size_t size);
void *xcalloc(size_t count, size_t size);

#endif
