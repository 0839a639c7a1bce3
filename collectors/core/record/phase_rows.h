/* Slices of time and regions of a thread (phases.h), in the record. */
#ifndef ADVISOR_PHASE_ROWS_H
#define ADVISOR_PHASE_ROWS_H

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

#endif
