/* Time slices: what a thread did in each slice since the end of MPI_Init, and in each region that
 * the program marks by MPI_Pcontrol.
 *
 * Nothing is added up for this while calls are counted. When a call is the first to end after the
 * current slice, the sums of the thread's rows are compared with those at the end of the slice
 * before. There are SLICE_ROWS slices; when time goes on, two neighbours become one and the slices
 * twice as long, so that a run of any length keeps 64 to 128 of them. */
#ifndef ADVISOR_PHASES_H
#define ADVISOR_PHASES_H

#include <stdint.h>

enum { SLICE_ROWS = 128, SLICES_A_SECOND = 128, REGION_ROWS = 16, REGION_FOLDED = INT32_MIN };
enum phase_kind {
    KIND_COLLECTIVE,
    KIND_MESSAGES,
    KIND_COMPLETION,
    KIND_ONESIDED,
    KIND_IO,
    KIND_OTHER,
    PHASE_KINDS
};

struct phase_sums {
    uint64_t ticks[PHASE_KINDS], bytes, calls;
};

/* [index, index + 1) * width seconds; ticks without a core, outside MPI and inside. */
struct slice {
    struct phase_sums sums;
    double width;
    uint32_t index, used;
    uint64_t delayed[2];
};

struct region {
    struct phase_sums sums;
    uint64_t ticks, entries;
    int32_t level;
    uint32_t used;
}; /* ticks: in it, MPI or not */

struct phases {
    uint64_t origin, width; /* ticks */
    uint64_t
        end; /* of the slice being counted; block->slice_end is sooner if counters are to be read */
    uint32_t current, region; /* slice being counted; row of the region, 0: none was marked yet */
    uint64_t region_begin;
    struct phase_sums slice_seen, region_seen; /* the sums of all rows when it began */
    struct slice slices[SLICE_ROWS];
    struct region regions[REGION_ROWS]; /* the last one is for levels that found no room */
};

struct block;
void phases_start(struct block *block, uint64_t origin, double seconds_per_tick);
/* The call at hand ends after the current slice; it is not counted yet. */
void phases_turn(struct block *block, unsigned operation);
/* Called, unless NULL, when the thread that began MPI goes on to another slice: not in a call, and
 * not timed. */
extern void (*phases_turned)(void) __attribute__((visibility("hidden")));
void phases_region(struct block *block, int level, uint64_t now);
/* The thread had no core for so many ticks between two moments: evenly spread, for all that is
 * known. */
void phases_delayed(struct block *block, int inside, uint64_t from, uint64_t to, uint64_t ticks);
void phases_end(struct block *block, uint64_t now); /* the last slice and region end here */

#endif
