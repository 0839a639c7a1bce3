/* Slices of time of which locks are kept (locks.h): which one a moment is in, and what is kept of
 * it. */
#ifndef ADVISOR_LOCK_SLICES_H
#define ADVISOR_LOCK_SLICES_H

#include <stdint.h>

enum { NARROW, WIDE, WIDTHS, WIDER = 8 }; /* 2^WIDER slices are a wide one */

struct lock_slices {
    uint64_t first;
    double rate, shift, width;
};
extern struct lock_slices lock_slices __attribute__((visibility("hidden")));

/* Seconds and slices, of this rank's clock as it was compared when the job started: of a host all
 * ranks agree exactly. */
void locks_start(double offset);
double
locks_width(void); /* of a slice, seconds; 0: all ranks are on one host, and slices are of ticks */

static inline double locks_place(uint64_t ticks)
{
    return (double)(int64_t)(ticks - lock_slices.first) * lock_slices.rate + lock_slices.shift;
}
static inline uint64_t slice_of(uint64_t ticks)
{
    return (uint64_t)(int64_t)locks_place(ticks);
} /* of signed numbers: one instruction */

/* Of slices `first` … `last` of a window with this key: a bit for each width of which one is kept.
 */
unsigned lock_slices_kept(uint64_t key, uint64_t first, uint64_t last);

#endif
