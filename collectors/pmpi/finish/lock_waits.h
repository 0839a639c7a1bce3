/* Waits of this rank for locks of windows, and the delaying ranks, when the job is over. */
#ifndef ADVISOR_LOCK_WAITS_H
#define ADVISOR_LOCK_WAITS_H

#include "lock_slices.h"
#include "locking.h"
#include "wait_calls.h"

/* Of slices 2^wider times as wide those of this level are known, but for `edge` of each at either
 * end. tolerance: of clocks between hosts, seconds. only_shared: no rank of the job has locked
 * anything for itself alone. */
struct lock_waits {
    struct lock_answer *answers;
    size_t count;
    unsigned level, wider;
    double edge, tolerance;
    int only_shared;
};

/* What all ranks kept of each target goes there, is put in order, and each origin is told of its
 * calls. Collective over the job; no row moves where nobody locked. */
__attribute__((cold)) struct lock_waits lock_waits_find(const struct clock_map *map);
/* In slices of that width. */
static inline double lock_waits_place(uint64_t ticks, unsigned wider)
{
    return locks_place(ticks) / (double)(1u << wider);
}

__attribute__((cold)) void lock_waits_add(const struct lock_waits *found, struct calls *calls,
                                          struct merged *merged);
__attribute__((cold)) void lock_waits_add_shared(
    const struct lock_waits *found,
    struct merged *merged); /* where no rank of the job locks for itself alone nobody
                           waits for a lock: all of these calls is moving */

#endif
