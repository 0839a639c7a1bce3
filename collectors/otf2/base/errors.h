/* Fatal errors: an archive that cannot be read, and memory that cannot be allocated. */
#ifndef ADVISOR_OTF2_ERRORS_H
#define ADVISOR_OTF2_ERRORS_H

#include <otf2/otf2.h>
#include <stddef.h>

/* One sentence on standard output, and the end: what the archive does not let us read; with the
 * event that this thread is at. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Which one that is: "at" the last event of this reader, or "behind" it. NULL: none. */
void now_reads(OTF2_EvtReader *reader, const char *where);
/* Files of an archive are called as its first one, without the ending. */
void archive_is_at(const char *path);
const char *archive_name(void);

/* Of `count` elements; they die where there is no room. */
void *xrealloc(void *old, size_t count, size_t size);
void *xcalloc(size_t count, size_t size);

#endif
