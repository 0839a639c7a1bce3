/* From the sampled calls of one kind to all of them: strata of calls that took about as long. */
#ifndef ADVISOR_WAIT_STRATA_H
#define ADVISOR_WAIT_STRATA_H

#include <stdint.h>

/* Calls of one kind and one stratum. `time`: in all of them, by the counters. Seconds, seconds
 * squared. */
struct stratum {
    uint64_t sampled, drawn;           /* drawn: by chance, and not because all such are kept */
    double time, duration, wait;       /* the last two: in those that were sampled, as they are */
    double other_duration, other_wait; /* standing for the others */
    double wait_wait, wait_duration, duration_duration;
};

/* How many other calls a sampled call stands for, up to a factor that is the same in its stratum.
 */
double stratum_others(double probability);
void stratum_add(struct stratum *stratum, double wait, double duration, double probability);
/* How many calls, itself included, a sampled call stands for. */
double stratum_weight(const struct stratum *stratum, double probability);
/* Waiting in all calls of the stratum, in each of which at least two `members` took part, and the
 * variance of that. */
double stratum_wait(const struct stratum *stratum, unsigned members, double *variance);

#endif
