/* An OTF2 archive as this reader sees it: what is defined, and what was counted of each rank.
 *
 * Times are ticks of the archive's clock, corrected by its clock offsets. */
#ifndef ADVISOR_TRACE_H
#define ADVISOR_TRACE_H

#include "errors.h"
#include "tables.h"
#include <otf2/otf2.h>
#include <stdint.h>

enum { NONE = -1 };

/* What a region is to us: made from its name, see names.c. */
enum region_kind {
    KIND_OTHER,     /* not MPI */
    KIND_LIFECYCLE, /* start and end: no row of `calls` */
    KIND_CALL,
    KIND_POST, /* starts something and returns: nobody is waited for */
    KIND_TEST, /* asks and returns: the same */
};
/* What a slice of time tells apart: columns of `phases`. */
enum slice_kind {
    SLICE_COLLECTIVE,
    SLICE_MESSAGES,
    SLICE_COMPLETION,
    SLICE_ONESIDED,
    SLICE_IO,
    SLICE_MANAGEMENT,
    SLICE_KINDS
};
/* Whom a one-sided call of synchronisation waits for. */
enum meeting { MEETING_NONE, MEETING_POST, MEETING_START, MEETING_COMPLETE, MEETING_WAIT };
struct region {
    int32_t operation;
    uint32_t name, file, line;
    uint8_t kind, ends, begins, carries, slice, meeting, is_neighbour, unlocks, starts, marks,
        is_user, is_plain, is_simple_call;
};
/* starts: requests that were made before; marks: MPI_Pcontrol; is_user: the program itself says
 * that it is one; is_plain: neither that nor MPI; is_simple_call: a call whose begin tells nothing
 * more
 */

struct communicator {
    uint32_t name, size, nodes, first, size_far;
    uint32_t *ranks, *far; /* world ranks; `far`: of the other group of an intercommunicator */
    uint8_t defined, class, is_world, is_self, used;
};
enum class {
    CLASS_UNKNOWN,
    CLASS_SELF,
    CLASS_INTRA_NODE,
    CLASS_ONE_PER_NODE,
    CLASS_MULTI_NODE,
    CLASS_INTER,
    CLASS_OTHER,
    CLASS_NONE,
    CLASSES
};
extern const char *const class_names[CLASSES];

struct place {
    uint64_t location, events;
    uint32_t group;
    int32_t rank;
    uint8_t is_main, is_mapped, is_clock_mapped;
};
/* is_main: it is the one that stands for its rank; is_mapped: its numbers are its own;
 * is_clock_mapped: its clock is */
struct members {
    uint32_t *ranks, count;
    uint8_t defined;
};
struct site {
    uint32_t file, line, function;
}; /* a place in code: strings, `function` as the first call from there names it, + 1 */
/* Attributes that we know, + 1: of a collective call its communicator, whom it receives from, its
 * payload, which of several persistent ones it is; where a call is made; what MPI_Pcontrol is
 * given. */
enum known_attribute {
    ATTRIBUTE_COMMUNICATOR,
    ATTRIBUTE_FROM,
    ATTRIBUTE_BYTES,
    ATTRIBUTE_SERIES,
    ATTRIBUTE_SITE,
    ATTRIBUTE_FUNCTION,
    ATTRIBUTE_LEVEL,
    ATTRIBUTES
};

/* Counters that are read; which of them the values of a metric are, + 1, 0: another one, NULL: none
 * is; and those that are not, with the reason. */
struct metric {
    uint32_t name;
    uint8_t is_difference;
    double factor;
}; /* is_difference: each value is what was counted since the one before */
struct readings {
    uint32_t *places;
    uint8_t count, is_defined;
};
struct left_out {
    uint32_t name;
    const char *why;
};

struct definitions {
    char **strings, **operations, **hosts;
    struct region *regions;
    struct communicator *communicators;
    uint32_t *windows;      /* window → communicator */
    struct members *groups; /* world ranks of groups of ranks */
    uint32_t *files;        /* handle of MPI-IO → communicator + 1; 0: another handle */
    struct site *sites;
    uint32_t attributes[ATTRIBUTES]; /* + 1; 0: it has none of that sort */
    struct place *places;
    int32_t *host_of; /* of a rank */
    struct metric *metrics;
    struct readings *readings;
    struct left_out *left_out;
    size_t metric_count, reading_count, left_out_count;
    size_t string_count, operation_count, host_count, region_count, communicator_count,
        window_count, place_count, group_count, file_count, site_count;
    uint32_t ranks;
    uint64_t resolution, offset, length, real_time, events;
    int is_ours;   /* written by our own collector */
    int by_member; /* sizes of collective calls were counted once for each member, as Score-P does
                    */
};

const char *string_of(const struct definitions *definitions,
                      uint32_t reference); /* "" if there is none */
void definitions_read(struct definitions *definitions,
                      OTF2_Reader *reader); /* ends the program if it cannot */
struct region region_named(struct definitions *definitions, const char *name, int is_mpi);

/* Calls of one kind by one rank. Row 0 takes what finds no room. */
struct row {
    uint64_t key, caller; /* operation, class, bin + 2, communicator + 1; caller: region + 1, or
                             number of regions + site + 1, or 0 */
    uint64_t count, bytes, time, shortest, longest;
    uint64_t judged, judged_time;   /* calls of which waiting can be known, and … */
    uint64_t known, duration, wait; /* … those of which it is */
    uint64_t wrong_order; /* of `wait`: for a message, while one that had been sent earlier was
                             received later */
};
struct peer {
    uint32_t rank, path;
    uint64_t messages, bytes;
};
/* A part of the program that it marks: by a region of its own, whose number + 1 is `name`, or by
 * MPI_Pcontrol. */
enum { MOST_MARKED = 64, LEVEL_FOLDED = INT32_MIN };
struct marked {
    uint64_t entries, ticks, kinds[SLICE_KINDS], calls, bytes;
    int32_t level;
    uint32_t name;
};
struct late {
    uint64_t instances, last, delay_cost;
};
/* A counter of a rank: what was counted, and in which time (ticks), inside MPI and outside.
 * metered.c */
enum side { SIDE_INSIDE, SIDE_OUTSIDE, SIDES, SIDE_NEITHER, SIDE_BOTH };
enum fault { FAULT_NONE, FAULT_BACKWARDS, FAULT_SELDOM, FAULT_ABSENT };
struct metered_side {
    double count, time, squares, products, time_squares, window_count, window_time;
}; /* window: the one at hand */
struct metered {
    struct metered_side sides[SIDES];
    double total;
    uint64_t time, begin,
        until; /* of the last reading; of the window at hand; until when those before it stand */
    OTF2_MetricValue last;
    uint8_t type, is_read, fault;
};

struct rank {
    struct row *rows;
    uint32_t *row_index;
    size_t row_count, row_room;
    struct peer *peers;
    size_t peer_count, peer_room;
    struct marked *marked;
    size_t marked_count;
    struct metered *metered;       /* each of the counters; NULL: none was read */
    struct late late[CLASSES];     /* delay_cost: by class, of those that waited for it */
    uint64_t windows[4 * CLASSES]; /* made, by kind and class */
    uint64_t events, unmatched, overflowed, faults, flushes;
    uint64_t between_polls; /* ticks, as in the profile */
    uint64_t first, last, init_begin, init_end, finalize_begin, finalize_end;
    uint32_t threads, state;
    uint32_t program; /* a string, + 1; 0: not said */
};

/* The run in slices of time, as ticks; of groups of neighbouring ranks (FORMAT.md). */
enum { SLICES = 128, SLICE_GROUPS = 64 };
struct slice {
    uint64_t kinds[SLICE_KINDS], calls, bytes, split, wait, delay_cost;
};
struct slicing {
    double width;
    uint32_t ranks_a_group, groups;
}; /* width: ticks */

/* Time on the critical path. operation: + 1, 0: outside MPI; region: + 1, 0: not known. */
struct path_row {
    uint64_t ticks;
    int32_t rank;
    uint32_t region;
    uint16_t operation;
};
struct path {
    struct path_row *rows;
    size_t count, room;
    int is_lost;
}; /* is_lost: what it is made of could not be kept */

struct results {
    const struct rank *ranks;
    const struct slice *slices;
    struct slicing slicing;
    const struct path *path;
};

/* What happens seldom is kept out of the way of what happens with every event. */
#define COLD                __attribute__((noinline, cold))
#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

uint8_t *
metered_faults(const struct definitions *definitions,
               const struct rank *ranks); /* of each counter, whether it can be told; metered.c */

void profile_write(const struct definitions *definitions, const struct results *results,
                   const char *creator, const char *path);

#endif
