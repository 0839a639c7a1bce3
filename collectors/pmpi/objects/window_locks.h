/* The state of a window's locks on this rank, kept with the window. */
#ifndef ADVISOR_WINDOW_LOCKS_H
#define ADVISOR_WINDOW_LOCKS_H

#include "communicators.h"

/* What this rank does with the lock of one target. `given`: when it last began to give it back,
 * [shared], ticks; 0: never. `open`: between lock and unlock. */
struct held {
    uint64_t given[2];
    uint8_t shares, open;
};
/* Of a window. `seen`: the slice of the last call, and below it a bit for each width that is kept
 * of it. `untold`: the epochs that are open have too many targets. */
struct window_locks {
    uint64_t key, seen, untold;
    struct held of[];
};

struct window_locks *
window_locks_make(struct communicator *window); /* at the first lock; NULL: nothing is to be kept */
void window_locks_discard(struct window_locks *locks, int size);
uint64_t
window_locks_memory(void); /* bytes allocated for windows that live; 0: none was ever locked */

#endif
