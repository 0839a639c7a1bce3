/* For the generated tables.c: see combine.c. */
#ifndef ADVISOR_COMBINE_H
#define ADVISOR_COMBINE_H

#include "merged.h"

void own_communicators(struct profile_communicators *kept,
                       const struct profile_communicators *more);
void own_waits(struct profile_waits *sum, const struct profile_waits *more);
void own_spread(struct profile_spread *sum, const struct profile_spread *more);

#endif
