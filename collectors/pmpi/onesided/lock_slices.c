#define _GNU_SOURCE
#include "lock_slices.h"
#include "clock.h"
#include "record.h"
#include "slices.h"

/* Of one host, in ticks: a quarter of a millisecond, more or less. Between hosts ranks see a slice
 * begin as far apart as their clocks were compared when the job started, and drift since: slices
 * are much wider, and what returns too near their edges is left out. */
#if defined(__aarch64__)
enum { TICKS_OF_SLICE = 1 << 13 };
#else
enum { TICKS_OF_SLICE = 1 << 19 };
#endif
static const double SECONDS_OF_SLICE = 4e-3;

struct lock_slices lock_slices = { 0, 1.0 / TICKS_OF_SLICE, 0, 0 };

void locks_start(double offset)
{
    double time;
    clock_origin(&time, &lock_slices.first);
    lock_slices.width = SECONDS_OF_SLICE;
    lock_slices.rate = clock_seconds_per_tick() / lock_slices.width;
    lock_slices.shift = (time + offset) / lock_slices.width;
}

double locks_width(void)
{
    return lock_slices.width;
}

static unsigned level_asked(int width)
{
    return slices_asked(
        __atomic_load_n(&record->reservoirs[RESERVOIR_LOCKS + width].threshold, __ATOMIC_RELAXED));
}

unsigned lock_slices_kept(uint64_t key, uint64_t first, uint64_t last)
{
    unsigned kept = 0;
    for (int width = NARROW; width < WIDTHS; width++)
        kept |= (unsigned)slices_touch(key, first >> width * WIDER, last >> width * WIDER,
                                       level_asked(width))
                << width;
    return kept;
}
