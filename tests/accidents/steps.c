/* To be preloaded: the time of day jumps ten times a second between five hours ahead and seven
 * behind. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

static int (*real)(clockid_t, struct timespec *);

int clock_gettime(clockid_t clock, struct timespec *now)
{
    struct timespec since;
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const int status = real(clock, now);
    if (clock == CLOCK_REALTIME && !real(CLOCK_MONOTONIC, &since))
        now->tv_sec += since.tv_nsec / 50000000 % 2 ? 5 * 3600 : -7 * 3600;
    return status;
}

int gettimeofday(struct timeval *now, void *zone)
{
    struct timespec day;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &day);
    *now = (struct timeval){ day.tv_sec, day.tv_nsec / 1000 };
    return 0;
}

time_t time(time_t *to)
{
    struct timespec day;
    clock_gettime(CLOCK_REALTIME, &day);
    if (to)
        *to = day.tv_sec;
    return day.tv_sec;
}
