/* A little text made smaller with a dictionary that its reader has too, and without a library: this
 * is loaded into programs of others. */
#ifndef ADVISOR_DEFLATE_H
#define ADVISOR_DEFLATE_H

#include <stddef.h>

enum {
    DEFLATE_MOST = 32768
}; /* bytes of dictionary and text together: the window of RFC 1951, from all of which may be copied
    */

/* The bytes of `text` from `known` up to `size` as a zlib stream (RFC 1950) with those before as
 * its preset dictionary. How many bytes of `out` it takes; 0: more than `room`, or there are more
 * than DEFLATE_MOST, or no memory. */
size_t deflated(const unsigned char *text, size_t known, size_t size, unsigned char *out,
                size_t room);

#endif
