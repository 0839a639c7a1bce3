/* The clock of the job. */
#ifndef ADVISOR_CLOCK_MAP_H
#define ADVISOR_CLOCK_MAP_H

#include <stdint.h>

/* Ticks of this host as seconds on the clock of rank 0: origin + ticks * rate, both sides measured
 * from first readings. `skew`: how far off this rank may have taken the beginnings of slices for
 * (onesided/locks.h), in slices. */
struct clock_map {
    double rate, shift, error;
    uint64_t first;
    double skew;
};

#endif
