/* What the ranks hand on at the end: a pile of rows that can be put together in any order and sent
 * as bytes. */
#ifndef ADVISOR_PILE_H
#define ADVISOR_PILE_H

#include "heap.h"
#include "record.h"
#include "text.h"

enum pile_table {
    PILE_CALLS,
    PILE_MEMBERS,
    PILE_SITES,
    PILE_PEERS,
    PILE_WINDOWS,
    PILE_SPREAD,
    PILE_TABLES
};

/* calls: key operation, class, bin; members: operation and id; sites: operation, module (a text),
 * offset; peers: peer and path; windows: kind and class. Rows of equal key are one row. spread: key
 * as of calls (third: 1 for all classes and bins together), and a class of times: how many ranks
 * spent so long in these calls; `bytes` holds the ranks of the longest and of the shortest time,
 * see spread_owners. */
struct pile_row {
    int32_t table, rank;
    uint64_t first, second, third;
    uint64_t count, bytes;
    double time, shortest, longest;
};

struct pile_rank {
    struct rank_scalars {
        int32_t rank, node, pid;
        uint32_t state;
        double process_begin, init_begin, init_end, finalize_begin, finalize_end, clock_offset,
            clock_error;
        uint32_t thread_requested, thread_provided, threads_called, threads, omp_threads, cores;
        uint64_t memory_peak;
        double user_time, system_time;
        uint64_t voluntary_switches, involuntary_switches, major_faults, events;
        double event_cost, finalize_cost;
        uint64_t folded, clock_faults, control_levels, own_memory, children, unmatched;
        double no_core_inside, no_core_outside, asleep_inside, asleep_outside, no_core_helpers;
        uint64_t run_delay_told;
        double mpi_time, wait_time; /* these three: only if rows were folded (folding.h) */
        uint64_t bytes_sent;
    } values;
    uint64_t cpus; /* a text */
};

struct pile_communicator {
    uint64_t id, name; /* name: a text */
    uint32_t size, nodes, order, first;
    uint32_t class, world, freed, spare;
};

struct pile_node {
    uint64_t name, facts;
    int64_t index;
};
struct pile_setting {
    uint64_t name, value, source, ranks;
};
struct pile_text {
    uint64_t hash;
    char *value;
};
#define TEXT_EMPTY 0xcbf29ce484222325ull /* the hash of "" */

/* What one rank waited in the calls of one kind: sums over the calls that were sampled, each
 * divided by the probability p of being kept; `spread` sums, for the error, by p * p / (1 - p). */
struct pile_wait {
    uint64_t key, communicator; /* as event_key; id */
    int64_t rank;
    uint64_t calls, sampled;           /* all of the kind; of them sampled */
    double time;                       /* in all of them */
    double duration, wait, unresolved; /* unresolved: less than the clocks can tell */
    double wait_wait, wait_duration, duration_duration;
    double hideable;   /* of duration: could have been hidden behind what the rank did before the
                          call, at most */
    double propagated; /* of wait: was there when the ranks left their previous call, of the same
                          kind (pmpi/waits.c) */
    uint64_t after; /* the other operation that most of these calls came straight from, 0: none, and
                       of those calls: */
    double handed_on; /* of wait: was there when the ranks left that one */
    double set_up;    /* of duration without wait: that one had made the communicator */
};

/* One rank that others waited for, by class of communicator or path: of `instances` (weighted) it
 * was the last in `last`; `caused`: seconds that all others waited for it, scaled to all calls. */
struct pile_late {
    int64_t rank;
    uint64_t class;
    double instances, last, caused;
};

enum { PHASE_GROUPS = 64 };

/* One slice of time of one rank, or of a group of neighbours where there are more than PHASE_GROUPS
 * ranks; `rank`: the first of `ranks`. `split`: time in calls of which it is known what was
 * waiting, `wait`: waiting, `caused`: waiting of others for them, all scaled to all calls. */
struct pile_phase {
    int64_t rank;
    uint64_t ranks, slice; /* [slice, slice + 1) * width */
    double width, time[PHASE_KINDS];
    uint64_t calls, bytes;
    double split, wait, caused, no_core_inside, no_core_outside;
};

/* What one rank did while MPI_Pcontrol had told it `level`. */
struct pile_region {
    int64_t rank, level;
    uint64_t entries;
    double time, mpi[PHASE_KINDS];
    uint64_t calls, bytes;
};

/* counter_row of one rank, or the sum over many: rank -1. */
struct pile_counter {
    int64_t rank;
    uint64_t name, total;
    double parts[10];
};

/* variable_row of one rank, or the sum over `ranks`: rank -1. */
struct pile_variable {
    int64_t rank;
    uint64_t name, kind, ranks, reads;
    double sum, most, last;
};

/* stack_row, added up over ranks. */
struct pile_stack {
    uint64_t stack, level, operation, module, function, offset;
    double count, time, count_count, time_time;
};

/* Calls that completed nonblocking messages, by path (class of record.h) and bin of the largest
 * message: sums over sampled messages, each divided by the probability of being kept (METRICS 10).
 * `starved`: messages; `variance`: of achieved. */
struct pile_overlap {
    uint64_t path, bin;
    double calls, messages, reference, possible, achieved, starved, variance, longer_reference,
        longer_possible, longer_achieved;
};
/* Seconds of a message from one rank to another when nothing was in its way. */
struct pile_reference {
    uint64_t path, bytes;
    int64_t from, to;
    double least, most;
};

struct pile {
    struct heap rows, ranks, communicators, nodes, settings, waits, late, phases, regions, counters,
        stacks, variables, overlaps, references, texts;
    uint32_t *text_index; /* open addressing: number of a text plus one */
    size_t text_room;
    uint64_t folded_communicators;
    uint64_t unsampled; /* bits: unsampled.h */
    int folded;         /* rows of most ranks are sums over them */
    int failed;         /* memory ran out: the pile is not complete */
};

void *heap_add(struct pile *pile, struct heap *heap, size_t size, const void *row);
uint64_t pile_add_text(struct pile *pile, const char *value);
void pile_add_hashed(struct pile *pile, uint64_t hash, const char *value);
const char *pile_text(const struct pile *pile, uint64_t hash);
void pile_add_record(struct pile *pile,
                     const struct record *record); /* what this rank has counted */
/* Seconds since the end of MPI_Init, each `weight` times, in column `column` of the slices that
 * they are in. */
enum phase_column { PHASE_SPLIT, PHASE_WAIT, PHASE_CAUSED };
void pile_add_phase(struct pile *pile, const struct record *record, int rank,
                    enum phase_column column, double from, double to, double weight);
void pile_add_phases(struct pile *pile, const struct record *record);
void pile_add_counters(struct pile *pile, const struct record *record);
void pile_add_stacks(struct pile *pile, const struct record *record);
void pile_add_variables(struct pile *pile, const struct record *record);
extern const struct row_kind phase_kind, region_kind, counter_kind, stack_kind, variable_kind,
    overlap_kind, reference_kind;
int phases_same_width(
    struct heap *phases); /* 0: they were; else rows may stand twice, and are to be tidied */
void pile_tidy(struct pile *pile); /* sorts, puts equal keys together */

/* A tidy pile as bytes, but for the two tables with rows of every rank: these go from memory to
 * memory as they are. A pile that receives is tidy before and afterwards. */
enum pile_long { LONG_RANKS, LONG_LATE, LONG_TABLES };
char *pile_pack(const struct pile *pile, size_t *size);             /* NULL: no memory */
int pile_unpack(struct pile *pile, const char *bytes, size_t size); /* 0: not understood */
const void *pile_long_rows(const struct pile *pile, enum pile_long table, size_t *bytes);
void *pile_long_room(struct pile *pile, enum pile_long table,
                     size_t bytes); /* where to put them; NULL: no memory */
void pile_long_join(struct pile *pile, enum pile_long table,
                    size_t bytes); /* when they are there */
void pile_free(struct pile *pile);

/* The profile container: FORMAT.md. */
struct profile_facts {
    const char *library_text, *library_path, *standard, *device, *transport;
    int ranks;
    const char *gap, *missing_counters;
};
int profile_write(const struct pile *pile, const struct profile_facts *facts, const char *path);

#endif
