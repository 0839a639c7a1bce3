#define _GNU_SOURCE
#include "clock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int clock_is_counter;
static uint64_t first_ticks, first_nanoseconds;
static double epoch_of_monotonic; /* time of day when the other clock was 0 */

uint64_t clock_monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int file_has(const char *path, const char *first, const char *second)
{
    char line[8192];
    int found = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    while (!found && fgets(line, sizeof line, file))
        found = strstr(line, first) && (!second || strstr(line, second));
    fclose(file);
    return found;
}

/* The kernel has tested that the counters of all cores agree if it uses them for its own clock. */
static int counter_is_trusted(void)
{
#if defined(__x86_64__)
    return file_has("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc",
                    NULL) &&
           file_has("/proc/cpuinfo", "constant_tsc", "nonstop_tsc");
#elif defined(__aarch64__)
    return file_has("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                    "arch_sys_counter", NULL);
#else
    return 0;
#endif
}

double clock_day(void)
{
    return epoch_of_monotonic;
}

double clock_take_day(double day)
{
    const double later = day - epoch_of_monotonic;
    epoch_of_monotonic = day;
    return later;
}

/* The tightest of ten bracketed readings: an interrupt between the two clocks would bend the slope.
 */
static void read_pair(uint64_t *ticks, uint64_t *nanoseconds)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 10; i++) {
        uint64_t before = clock_ticks(), now = clock_monotonic(), after = clock_ticks();
        if (after - before < best) {
            best = after - before;
            *ticks = before + (after - before) / 2;
            *nanoseconds = now;
        }
    }
}

double clock_epoch(void)
{
    return epoch_of_monotonic + (double)clock_monotonic() * 1e-9;
}

/* The time of day is asked for once: an administrator, or a daemon, may set it while the job runs.
 */
void clock_start(void)
{
    struct timespec day;
    clock_gettime(CLOCK_REALTIME, &day);
    epoch_of_monotonic =
        (double)day.tv_sec + (double)day.tv_nsec * 1e-9 - (double)clock_monotonic() * 1e-9;
    clock_is_counter = counter_is_trusted();
    read_pair(&first_ticks, &first_nanoseconds);
}

double clock_seconds_per_tick(void)
{
    uint64_t ticks, nanoseconds;
    if (!clock_is_counter)
        return 1e-9;
    read_pair(&ticks, &nanoseconds);
    return ticks > first_ticks
               ? (double)(nanoseconds - first_nanoseconds) * 1e-9 / (double)(ticks - first_ticks)
               : 0;
}

void clock_origin(double *time, uint64_t *ticks)
{
    *ticks = clock_ticks();
    *time = clock_epoch();
}
