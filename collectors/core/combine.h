/* For the generated tables.c: see combine.c. */
#ifndef ADVISOR_COMBINE_H
#define ADVISOR_COMBINE_H

#include "pile.h"

void own_communicators(struct profile_communicators *kept,
                       const struct profile_communicators *more);
void own_waits(struct profile_waits *sum, const struct profile_waits *more);
void own_rank_distribution(struct profile_rank_distribution *sum,
                           const struct profile_rank_distribution *more);

#endif
