/* Which calls took about as long. */
#ifndef ADVISOR_STRATA_H
#define ADVISOR_STRATA_H

#include <stdint.h>

/* Calls of 2^20 ticks or more, 0.3 to 0.5 ms, are counted in rows of their own, one for each
 * four-fold time: how much time went into long calls is then known exactly, however few of them
 * were sampled (pmpi/finish/wait_strata.h). Their rows cost nothing where it matters: the row of
 * the short calls never sees a time above its longest that is short. */
enum { STRATA = 7, STRATUM_FIRST = 20, STRATUM_BITS = 2 };

static inline unsigned stratum_of(uint64_t ticks)
{
    unsigned exponent = 63 - (unsigned)__builtin_clzll(ticks | 1),
             stratum = exponent < STRATUM_FIRST ? 0 : 1 + (exponent - STRATUM_FIRST) / STRATUM_BITS;
    return stratum < STRATA ? stratum : STRATA - 1;
}

#endif
