/* Locks of windows: which epochs of a rank on a target are kept (core/samples/slices.h), to tell
 * who waited for whom when the job is over (core/matching/locking.h).
 *
 * Who held a lock that a rank waits for is known to its holder only. All ranks choose the same
 * slices of time, for each window other ones, and of these they keep all: each call that touches
 * one, and each that gives a lock back, if the time since this rank gave the same lock back before
 * touches one. Then of each moment in a chosen slice it is known who gave the lock back last before
 * it, and who next, however far off: whether a call that it is in waited then. It is time that is
 * sampled, not calls: of a long wait a part is seen. A call on several targets is told by each of
 * them: it waited for the last. Twice: epochs much longer than a slice touch many, so that few
 * could be chosen; epochs much shorter than a wide one would not find room. That counts of which a
 * larger share is kept. */
#ifndef ADVISOR_LOCKS_H
#define ADVISOR_LOCKS_H

#include "lock_slices.h"
#include "window_locks.h"

enum { MOST_LOCKED = 64 }; /* targets of one call */
/* Of a sample `check` is whether the lock is shared, and above that the targets of its call;
 * `members` the target, or EVERY_TARGET: all ranks of the world. */
enum { TARGET_BITS = 1, EVERY_TARGET = 0x7FFFFFFF };

/* The call at hand, already counted: of one target, or of all. A flush waits where the library puts
 * off locking until then. */
void lock_taken(struct block *block, unsigned operation, struct communicator *window, int target,
                int shares);
void locks_taken(struct block *block, unsigned operation, struct communicator *window);
void lock_flushed(struct block *block, unsigned operation, struct communicator *window, int target);
void locks_flushed(struct block *block, unsigned operation, struct communicator *window);
void lock_given_back(struct block *block, unsigned operation, struct communicator *window,
                     int target);
void locks_given_back(struct block *block, unsigned operation, struct communicator *window);
void locks_end(struct communicator *window, uint64_t at); /* nobody has a lock of it any more */

/* Of a window; -1: its member is in no world of ours. */
int lock_target(struct communicator *window, int member);
int locks_exclusive(void); /* this rank has locked a target for itself alone */

#endif
