/* From samples to waits, when the job is over. */
#ifndef ADVISOR_WAITS_H
#define ADVISOR_WAITS_H

#include "pile.h"

/* Ticks of this host as seconds on the clock of rank 0: origin + ticks * rate, both sides measured
 * from first readings. `skew`: how far off this rank may have taken the beginnings of slices for
 * (locks.h), in slices. */
struct clock_map {
    double rate, shift, error;
    uint64_t first;
    double skew;
};

/* Exchanges with rank 0, one rank a host: when all start, and when all end. Collective over the
 * job. */
void clocks_compare(int at_end);
struct clock_map clocks_map(void);

/* Puts together the samples of all ranks, and adds what this rank waited, and for whom, to its
 * pile. Collective over the job. */
void waits_find(struct pile *pile);

#endif
