/* Preloaded in front of the collector: the kernel seems not to trust the counter of the processor,
 * so that the collector reads the system's clock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*real)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return strstr(path, "current_clocksource") ? NULL : real(path, mode);
}
