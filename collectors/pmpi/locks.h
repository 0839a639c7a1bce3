/* Locks of windows: which epochs of a rank on a target are kept (core/slices.h), to tell who waited for whom when the job is over (core/locking.h).
 *
 * Who held a lock that a rank waits for is known to its holder only. All ranks choose the same slices of time, for each target of a window other ones, and of these
 * they keep all: each call that touches one, and each that gives a lock back, if the time since this rank gave the same lock back before touches one. Then
 * of each moment in a chosen slice it is known who gave the lock back last before it, and who next, however far off: whether a call that it is in waited then.
 * It is time that is sampled, not calls: of a long wait a part is seen.
 * Twice: epochs much longer than a slice touch many, so that few could be chosen; epochs much shorter than a wide one would not find room. That counts of which a larger share is kept. */
#ifndef ADVISOR_LOCKS_H
#define ADVISOR_LOCKS_H

#include "calls.h"

enum { MOST_LOCKED = 64 };   /* targets of MPI_Win_lock_all */
enum { NARROW, WIDE, WIDTHS, WIDER = 8 };   /* 2^WIDER slices are a wide one */

/* What this rank does with the lock of one target. `given`: when it last began to give it back, [shared], ticks; 0: never. `kept`: of the slice of the last call, a bit for each width. */
struct held { uint64_t key, given[2], slice; uint8_t shares, kept; };

/* The call at hand, already counted. */
void lock_taken(struct block *block, unsigned operation, struct communicator *window, int target, int shares);
void lock_given_back(struct block *block, unsigned operation, struct communicator *window, int target);
void locks_given_back(struct block *block, unsigned operation, struct communicator *window);   /* of all targets */
void locks_end(struct communicator *window, uint64_t at);   /* nobody has a lock of it any more */

/* Of a window; -1: its member is in no world of ours. */
int lock_target(struct communicator *window, int member);
/* Seconds and slices, of this rank's clock as it was compared when the job started: of a host all ranks agree exactly. */
void locks_start(double offset);
double locks_place(uint64_t ticks);
double locks_width(void);   /* of a slice, seconds; 0: all ranks are on one host, and slices are of ticks */
int locks_exclusive(void);   /* this rank has locked a target for itself alone */
uint64_t locks_memory(void);
void locks_discard(struct held *held, int size);

#endif
