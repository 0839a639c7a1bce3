/* Fatal errors: an archive that cannot be written, and memory that cannot be allocated. */
#ifndef ADVISOR_WRITER_ERRORS_H
#define ADVISOR_WRITER_ERRORS_H

#include <otf2/otf2.h>
#include <stddef.h>

/* One sentence on standard output, and the end. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void check(OTF2_ErrorCode code); /* dies if it is not success */
void *xrealloc(void *old, size_t count,
               size_t size); /* of `count` elements; dies where there is no room */

#endif
