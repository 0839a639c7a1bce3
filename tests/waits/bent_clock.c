/* Preloaded: every second rank is on a host of its own, whose clock is 3 s ahead and gains 1 ms a
 * second; no rank may use the counter of the processor, which cannot be bent. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int is_bent(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank && atoi(rank) % 2;
}

int clock_gettime(clockid_t clock, struct timespec *told)
{
    struct timespec running;
    const int status = (int)syscall(SYS_clock_gettime, clock, told);
    if (status || !is_bent() || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
        return status;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &running);
    const long long gained = 3000000000LL + running.tv_sec * 1000000LL + running.tv_nsec / 1000,
                    nanoseconds = told->tv_nsec + gained;
    told->tv_sec += (time_t)(nanoseconds / 1000000000LL);
    told->tv_nsec = (long)(nanoseconds % 1000000000LL);
    return 0;
}

int gethostname(char *name, size_t size)
{
    snprintf(name, size, is_bent() ? "bent" : "straight");
    return 0;
}

FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*real)(const char *, const char *);
    if (!real)
        real = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return strstr(path, "current_clocksource") ? NULL : real(path, mode);
}
