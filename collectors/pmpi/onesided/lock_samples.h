/* Samples of lock calls: one for the target, for each of them, or for all ranks of the world. */
#ifndef ADVISOR_LOCK_SAMPLES_H
#define ADVISOR_LOCK_SAMPLES_H

#include "locks.h"

/* `before`: of a call that gives back, when this rank did so before; 0: never, and it stands for
 * all the time since the window was made, or at different times. */
struct lock_part {
    unsigned operation;
    uint64_t before, enter, exit;
    unsigned role;
    int shares, targets;
};

/* `world`: rank, or EVERY_TARGET; negative: nothing is kept. `kept`: a bit for each width of which
 * a slice of `first` … `last` is. */
void lock_keep(struct communicator *window, int world, const struct lock_part *part, unsigned kept,
               uint64_t first, uint64_t last);
/* The call is on the targets of all epochs that are open: they are filled in. */
void lock_keep_open(struct communicator *window, struct lock_part *part, unsigned kept,
                    uint64_t first, uint64_t last);

#endif
