/* The oracle's table for Fortran: call expect('Bcast', times, bytes); bytes -1: no payload by
 * nature. */
#include <stdlib.h>
#include <string.h>
#include "oracle.h"

static const char *kept(const char *name, size_t length)
{
    char *copy = strndup(name, length);
    for (char *at = copy; *at; at++)
        if (*at == ' ')
            *at = 0;
    return copy;
}

void expect_(const char *name, const int *times, const int *bytes, size_t length)
{
    for (int at = 0; at < *times; at++)
        expect(kept(name, length), *bytes);
}

void require_(const int *right, const char *what, size_t length)
{
    verify(*right, "Fortran", 0, kept(what, length));
}

void table_(const int *own_rank, const int *own_size)
{
    rank = *own_rank;
    size = *own_size;
    oracle_write();
}
