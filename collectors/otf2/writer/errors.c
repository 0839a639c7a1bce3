#include "errors.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void die(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
    fflush(stdout);
    _exit(1);
}

void *xrealloc(void *old, size_t count, size_t size)
{
    void *room = count < SIZE_MAX / 2 / (size + 1) ? realloc(old, count * size + 1) : NULL;
    if (!room)
        die("it takes more memory than there is");
    return room;
}

void check(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        die("the archive cannot be written: %s", OTF2_Error_GetDescription(code));
}
