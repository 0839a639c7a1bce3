/* Why a rank did not sample some calls: bits of `unsampled` in its record. */
#ifndef ADVISOR_UNSAMPLED_H
#define ADVISOR_UNSAMPLED_H

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

#endif
