/* Puts a composed profile into its file: as it is, which readers map, or compact where it is small.
 * See FORMAT.md. */
#define _GNU_SOURCE
#include "profile_writer.h"
#include "deflate.h"
#include <stdlib.h>
#include <string.h>

static const unsigned char dictionary[] =
#include "dictionary.h"
    ;
enum { KNOWN = sizeof dictionary - 1 };

static int put_header(const char *header, uint64_t length, FILE *file)
{
    return fwrite("ADVISOR\n", 8, 1, file) == 1 && fwrite(&length, 8, 1, file) == 1 &&
           fwrite(header, 1, length, file) == length;
}

static int put_as_it_is(const struct writer *writer, FILE *file)
{
    static const char zeros[64];
    const size_t length = writer->header.length, padding = (64 - (16 + length) % 64) % 64;
    return put_header(writer->header.memory, length, file) &&
           fwrite(zeros, 1, padding, file) == padding &&
           fwrite(writer->columns, 1, writer->columns_size, file) == writer->columns_size;
}

/* Header and columns as one stream, its size in `size`; NULL: they are too many, or it would not be
 * smaller, or there is no memory. */
static unsigned char *make_compact(const struct writer *writer, size_t *size)
{
    const size_t plain = writer->header.length + writer->columns_size;
    unsigned char *text = KNOWN + plain <= DEFLATE_MOST ? malloc(KNOWN + plain) : NULL,
                  *stream = text ? malloc(plain) : NULL;
    if (stream) {
        memcpy(text, dictionary, KNOWN);
        memcpy(text + KNOWN, writer->header.memory, writer->header.length);
        if (writer->columns_size)
            memcpy(text + KNOWN + writer->header.length, writer->columns, writer->columns_size);
        *size = deflated(text, KNOWN, KNOWN + plain, stream, plain);
    }
    free(text);
    if (stream && !*size) {
        free(stream);
        stream = NULL;
    }
    return stream;
}

int profile_put(const struct writer *writer, FILE *file)
{
    char header[128];
    size_t size = 0;
    unsigned char *stream = make_compact(writer, &size);
    const int length = snprintf(
        header, sizeof header,
        "{\"format\":\"advisor-profile\",\"version\":[3,0],\"header\":%zu,\"columns\":%zu}",
        writer->header.length, writer->columns_size);
    const int good =
        stream ? put_header(header, (uint64_t)length, file) && fwrite(stream, 1, size, file) == size
               : put_as_it_is(writer, file);
    free(stream);
    return fflush(file) == 0 && good;
}
