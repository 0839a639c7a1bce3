/* The record of one rank: one mapped file that holds everything counted so far, so that a rank that
 * is killed leaves what it had. Described by its own header (record_header.c); FORMAT.md says what
 * a reader may rely on. */
#ifndef ADVISOR_RECORD_H
#define ADVISOR_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include "counter_rows.h"
#include "phase_rows.h"
#include "samples.h"
#include "stack_rows.h"
#include "tables.h"
#include "variable_rows.h"

enum {
    RECORD_HEADER_SIZE = 32 * 1024,
    FACTS_SIZE = 8 * 1024,
    SETTINGS_SIZE = 24 * 1024,
    EVENT_ROWS = 4096, /* a power of two */
    PEER_ROWS = 512,   /* a power of two */
    COMMUNICATOR_ROWS = 512,
    MODULE_ROWS = 128,
    WINDOW_ROWS = 64,
    BLOCK_LIMIT = 512, /* threads that called MPI */
};

enum state { STATE_RUNNING = 1, STATE_FINALIZED = 2, STATE_NOT_FINALIZED = 3 };

/* Classes of communicators and paths to peers share one list, as the profile's column `class` does.
 * NOTHING: a call that asked, and found nothing. */
enum class {
    CLASS_NONE,
    CLASS_SELF,
    CLASS_INTRA_NODE,
    CLASS_ONE_PER_NODE,
    CLASS_MULTI_NODE,
    CLASS_INTER,
    CLASS_OTHER,
    CLASS_ANY,
    CLASS_UNKNOWN,
    CLASS_NOTHING,
    CLASS_COUNT
};
extern const char *const class_names[CLASS_COUNT];

enum window_kind { WINDOW_CREATE, WINDOW_ALLOCATE, WINDOW_SHARED, WINDOW_DYNAMIC, WINDOW_KINDS };
extern const char *const window_kind_names[WINDOW_KINDS];

/* Times in ticks. One cache line. A row with `key` 0 is free; row 0 holds what found no room. One
 * with `count` 0 has had long calls only, which are in rows of their own. */
struct event_row {
    uint64_t site; /* return address in this process */
    uint64_t key;  /* see event_key */
    uint64_t count, bytes, ticks, shortest, longest;
    uint32_t offset; /* of the return address from the start of its module */
    uint16_t module; /* row of the module table */
    uint16_t spare;
};

/* The communicator is given for collective operations only; 0: none, 1: overflowed. `size_bin`:
 * bin_number. Rows have their stratum (strata.h) and handling above it. */
static inline uint64_t event_key(unsigned operation, unsigned class, unsigned size_bin,
                                 unsigned communicator)
{
    return key_of_operation(operation) | key_of_class(class) | key_of_size_bin(size_bin) |
           key_of_communicator(communicator);
}

/* What the library cannot hand to its fast paths; the profile's column `handling`. In its place in
 * the key, so that `operation | handling` is one argument. */
enum { HANDLING_GAPS = 1, HANDLING_COMMUTATIVE, HANDLING_ORDERED };

/* What is told of a call without its communicator, which has another number on each rank. */
static inline uint64_t key_kind(uint64_t key)
{
    return key & (key_of_communicator(1) - 1);
}
/* As columns have it: 0 for 0 bytes, -1: the call carries no data. */
static inline int16_t key_bin(uint64_t key)
{
    return (int16_t)((int)key_size_bin(key) - 1);
}

struct peer_row {
    uint64_t messages, bytes;
    int32_t peer;  /* peer_name(): world rank plus 2, 1 in no world of ours; 0 in row 0 and in free
                      rows */
    uint16_t path; /* enum class */
    uint16_t spare[5];
};

struct communicator_row {
    uint64_t id; /* 0 in rows 0 and 1 */
    uint32_t size, nodes, order;
    uint8_t class, world, freed, used;
    char name[104];
};

struct module_row {
    uint32_t used, spare;
    char path[248];
};

struct window_row {
    uint64_t count, bytes;
    uint32_t kind, class;
    uint64_t spare;
};

enum { FIRST_SENT = 1, FIRST_RECEIVED = 2 };

/* What one thread counts: written by that thread alone. */
struct block {
    uint64_t last;       /* exit of its last call, ticks */
    uint64_t begin;      /* entry of the call at hand */
    uint64_t previous;   /* exit of the call before it */
    uint64_t straight;   /* of a call that was chosen: the operation of the one before it, with the
                            same partners; 0: it had others, or was one that lets go */
    uint64_t overflowed; /* calls in row 0 or in a coarser row than their own */
    uint64_t clock_faults;
    uint64_t asked; /* exit of the last call that asked and found nothing; until then no exit */
    uint64_t between_polls; /* ticks outside MPI from there to the next call, where that asks too */
    uint64_t used_events, used_peers;
    uint64_t
        chosen; /* not 0: the call at hand has begun what `started` holds, for this reservoir */
    struct sample started;
    uint64_t slice_end;  /* the soonest of the next two, and of phases.end: a call that ends here or
                            later has a slice of time to close; phases.h */
    uint64_t reading_at; /* a call that ends then or later has counters to be read; 0: none;
                            counters.h */
    uint64_t behind_since; /* end of the last long time outside MPI or in a call (events.c) … */
    uint64_t
        behind_until; /* … a call that begins before this came straight after it, or is that call */
    uint64_t firsts; /* of a call that was chosen: it is such a call, and the first of them with its
                        partner: FIRST_… */
    uint64_t behind_calls;   /* as many calls more, until then, take the rare path at both ends */
    uint64_t awaited_calls;  /* as many calls more take the rare path, since a receive that was
                                chosen is open; and since then … */
    uint64_t away, away_end; /* … the longest time outside MPI, and its end; ticks */
    uint64_t delay_at; /* a call that begins or ends then or later: the kernel is asked; 0: never;
                          run_delay.h */
    struct event_row events[EVENT_ROWS];
    struct peer_row peers[PEER_ROWS + 1]; /* row 0 is for those that found no room */
    uint16_t used[EVENT_ROWS]; /* rows of `events`, in the order in which they were begun:
                                  used_events of them */
    struct phases phases;
};

/* Row 0 and those that were begun, 0 … used_events: few of them, and the others are memory that
 * nobody has touched. */
static inline const struct event_row *event_begun(const struct block *block, uint64_t number)
{
    return &block->events[number ? block->used[number - 1] : 0];
}

static inline uint64_t sooner(uint64_t at, uint64_t end)
{
    return at && at < end ? at : end;
}
static inline uint64_t block_due(const struct block *block)
{
    return sooner(block->delay_at, sooner(block->reading_at, block->phases.end));
}
static inline void block_deadline(struct block *block)
{
    block->slice_end = block->behind_calls || block->awaited_calls ? 0 : block_due(block);
}

/* Scalars and texts of the rank. Times of day in seconds since the epoch. */
struct rank_record {
    union {
        struct {
            RANKS_MEMBERS
        }; /* as in the profile; some are known only at the end */
        struct profile_ranks columns;
    };
    int32_t ranks;
    uint32_t blocks;         /* in use */
    double seconds_per_tick; /* best known so far */
    double origin_time;      /* time of day at … */
    uint64_t origin_ticks;   /* … these ticks */
    uint64_t overflowed_communicators;
    double counter_time;       /* that reading counters took */
    uint64_t describing_ticks; /* that describing and releasing communicators took, outside of the
                                  calls as they are timed */
    uint32_t sessions_only, ticks_are_tsc;
    uint32_t restricted; /* what the program has forbidden its process (restrictions.h) */
    uint32_t unsampled;  /* why some calls were not sampled (pmpi/sampling/sampling.h) */
    char library[8192];
    char node_name[256];
    char cpu_list[1024];
    char thread_cpu_list[1024]; /* of all busy threads at the end; "" if the same */
    char run[64];
    char device[64], standard[16];
    char transport[512]; /* KEY=NAMES … of what the library chose and holds open */
    char library_path[512];
    char missing_counters[MISSING_COUNTERS_SIZE]; /* name \t reason \t what would help \n … */
};

struct record {
    struct rank_record rank;
    char facts[FACTS_SIZE];       /* key \t value \t source \n … */
    char settings[SETTINGS_SIZE]; /* name \t value \t source \n … */
    struct communicator_row communicators[COMMUNICATOR_ROWS];
    struct module_row modules[MODULE_ROWS];
    struct window_row windows[WINDOW_ROWS];
    struct counter_row counters[COUNTER_ROWS];
    struct stack_row stacks[STACK_ROWS];
    struct variable_row variables[VARIABLE_ROWS];
    struct reservoir reservoirs[RESERVOIRS];
    struct sample samples[SAMPLE_ROWS];
    struct block *block[BLOCK_LIMIT]; /* addresses in this process */
};

/* As peer_row has it. */
static inline int32_t peer_name(int world)
{
    return world + 2;
}

extern struct record *record
    __attribute__((visibility("hidden"))); /* NULL until record_open, and in a forked child */

/* Maps the record of this process. Never fails: without a file it lies in plain memory. */
void record_open(void);
/* A block for a new thread, NULL if there are too many. */
struct block *record_block(void);
/* Removes the file: what it held has been handed on. */
void record_remove(void);
/* Moves the file to the result folder, for ranks that are not merged; it stays where it is if that
 * cannot be done. */
void record_hand_over(void);
/* Removes what ranks of this user left on this host that were killed a day ago or longer. */
void record_clear_old(void);
void record_name(char *path, size_t size, const char *folder, int pid);
int record_file(int access); /* its file, opened anew: the caller closes it; -1: it has none */
const char *record_file_name(void);
uint64_t record_memory(void); /* bytes mapped for it */
/* Is this the process that opened the record? (Not a forked child.) */
int record_is_ours(void);

size_t record_header(char *text, size_t size, const char *const *operations, unsigned count);
size_t record_size(void);
size_t block_stride(void);

#endif
