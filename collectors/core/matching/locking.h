/* Who waited for a lock of a window: what the origins kept of their calls on one target is put in
 * order.
 *
 * A call that locks waits for the last rank that began to give the lock back before it returned.
 * Libraries may put off locking until the lock is given back, or until a flush: then that call
 * waits, and of two the one that ends earlier had the lock earlier. What a flush waited for is told
 * when its epoch begins to end: whoever had the lock before is over by then, and who else ended
 * only later than the flush did not hold it up. Shared locks do not wait for shared ones. */
#ifndef ADVISOR_LOCKING_H
#define ADVISOR_LOCKING_H

#include <stddef.h>
#include <stdint.h>

/* A call on one target of a window. Times are seconds on the clock of rank 0, all on the same one.
 */
struct lock_row {
    int32_t peer;   /* to whom the row goes: the target; once it is there the origin */
    uint32_t place; /* the origin's own */
    uint64_t key;   /* of the window */
    double before; /* when the origin before began to give back a lock of this kind here; -INFINITY:
                      never. Between that and `enter` it did not */
    double enter, exit; /* INFINITY: there is no such call, only what was before */
    uint8_t gives_back, shares, asks,
        within; /* asks: it is to be told who gave back last before `exit`, of those in the rows.
                   within: it is a flush, in an epoch */
};

struct lock_answer {
    int32_t peer;
    uint32_t place;
    int32_t who;
    double late;
}; /* late: when `who` began to give back; -INFINITY: nobody did */

/* One answer for each row that asks, in `answers`, for which there is room; sorts `rows`. How many;
 * 0 also where there is no memory. */
size_t locks_settle(struct lock_row *rows, size_t count, struct lock_answer *answers);

#endif
