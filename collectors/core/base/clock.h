/* The clock of the hot path: the processor's counter where the kernel itself trusts it, else
 * CLOCK_MONOTONIC. */
#ifndef ADVISOR_CLOCK_H
#define ADVISOR_CLOCK_H

#include <stdint.h>

extern int clock_is_counter __attribute__((visibility("hidden"))); /* set by clock_start */

uint64_t clock_monotonic(void) __attribute__((visibility("hidden"), cold)); /* nanoseconds */

static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(clock_is_counter, 1)) {
        /* Both halves come zero-extended. Not <x86intrin.h>: its vectors take more of the time to
         * build than all else. */
        uint64_t low, high;
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
        return high << 32 | low;
    }
#elif defined(__aarch64__)
    if (__builtin_expect(clock_is_counter, 1)) {
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    return clock_monotonic();
}

double clock_epoch(void); /* seconds since the epoch */
/* When the host was started, as the time of day was when this process asked; processes of a host
 * take that of one of them: what clock_epoch says is so much later then. */
double clock_day(void);
double clock_take_day(double day);
void clock_start(void); /* chooses the clock, first pair of readings */
double
clock_seconds_per_tick(void); /* slope from the first pair to now; 1e-9 for CLOCK_MONOTONIC */
void clock_origin(double *time, uint64_t *ticks); /* one moment on both clocks */

#endif
