/* Waits that are not separated from transfer time, with the reasons: gaps of the profile. */
#ifndef ADVISOR_UNSAMPLED_H
#define ADVISOR_UNSAMPLED_H

#include "pile.h"

/* What a rank found out while it ran: bits of `unsampled`. */
enum unsampled {
    UNSAMPLED_ANY_SOURCE = 1,
    UNSAMPLED_CANCELLED = 2,
    UNSAMPLED_THREADS = 4,
    UNSAMPLED_NEIGHBOURS = 8,
    UNSAMPLED_GROUP = 16,
    UNSAMPLED_MIXED = 32,
    UNSAMPLED_ALL_LOCKED = 64,
    UNSAMPLED_LOCKS = 128,
    UNSAMPLED_PUT_OFF = 256,
    UNSAMPLED_COMMUNICATORS = 512
};

void unsampled_gaps(struct text *text,
                    const struct pile *pile); /* what the calls themselves tell is added */

#endif
