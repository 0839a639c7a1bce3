/* The file in which a rank keeps its events (FORMAT.md): a header, definitions, and a ring of
 * events. Read by otf2/writer. */
#ifndef ADVISOR_LAYOUT_H
#define ADVISOR_LAYOUT_H

#include <stdint.h>

#define TRACE_MAGIC "ADVEVTS\n"
enum {
    TRACE_VERSION = 1,
    TRACE_HEADER_SIZE = 4096,
    TRACE_DEFINITIONS_SIZE = 1 << 20,
    TRACE_LAPS = 255
};

/* The end of a call, or what it took part in; its parts stand before it. Of all kinds but
 * EVENT_CALL `bytes` is the payload, `request` numbers the requests of a rank from 1. */
enum event_kind {
    EVENT_CALL = 1, /* begin and end in ticks, call site */
    EVENT_SEND,
    EVENT_RECEIVE, /* of a blocking call */
    EVENT_START_SEND,
    EVENT_START_RECEIVE,
    EVENT_SENT,
    EVENT_RECEIVED,
    EVENT_CANCELLED,
    EVENT_COLLECTIVE,
    EVENT_START_COLLECTIVE,
    EVENT_COLLECTED, /* peer: root, as enum root; operation: the collective one; tag: of
                      * persistent ones the how manieth was made on the communicator, else 0 */
    EVENT_PUT,
    EVENT_GET,
    EVENT_ATOMIC,
    EVENT_SYNCHRONISE, /* communicator: number of the window; peer: the target */
    EVENT_WINDOW,
    EVENT_WINDOW_FREED,
    EVENT_LOCK,
    EVENT_UNLOCK,     /* tag: 1 for a shared lock */
    EVENT_MEET,       /* of a window with a group: tag is its number */
    EVENT_NEIGHBOURS, /* tag: number of the group that a neighbourhood call receives from */
    EVENT_LOCK_ALL,
    EVENT_UNLOCK_ALL,
    EVENT_FLUSH,       /* peer: -1: all targets; tag 1: complete here, perhaps not there */
    EVENT_REMOTE_DONE, /* a put, get or atomic with a request */
    EVENT_START_NEIGHBOURS,
    EVENT_NEIGHBOURS_DONE, /* peer: as the tag of EVENT_START_COLLECTIVE */
    EVENT_FILE,
    EVENT_FILE_CLOSED, /* communicator: number of the file, also of those below */
    EVENT_READ,
    EVENT_WRITE, /* request: bytes that were moved; tag 1: collective */
    EVENT_START_READ,
    EVENT_START_WRITE,
    EVENT_FILE_DONE,
    EVENT_COUNTER, /* bytes: its value at the end of the call, with peer 1 at its begin; tag: its
                      number */
    EVENT_LEVEL,   /* tag: what MPI_Pcontrol was given */
    EVENT_KINDS
};
enum root { ROOT_NONE = -1, ROOT_SELF = -2, ROOT_THIS_GROUP = -3 };

struct trace_event {
    union {
        uint64_t begin, bytes;
    };
    union {
        uint64_t end, request;
    };
    union {
        uint64_t site;
        struct {
            int32_t peer, tag;
        };
    }; /* peer: rank in the communicator */
    uint16_t communicator, thread, operation; /* numbers that definitions explain */
    uint8_t kind, lap; /* lap: 1 + how often the ring was round before, modulo TRACE_LAPS; written
                          last. Another one: not written */
};
_Static_assert(sizeof(struct trace_event) == 32, "two events in a cache line");

/* Definitions follow each other, each `size` bytes long, a multiple of 8, header included. */
enum definition_kind {
    DEFINE_OPERATION = 1,
    DEFINE_COMMUNICATOR,
    DEFINE_NAME,
    DEFINE_WINDOW,
    DEFINE_GROUP,
    DEFINE_FILE,
    DEFINE_MODULE,
    DEFINE_COUNTER
};
enum { IS_WORLD = 1, IS_SELF = 2, IS_INTER = 4, HAS_MEMBERS = 8 };
struct definition_head {
    uint16_t kind, number;
    uint32_t size;
};
struct operation_definition {
    struct definition_head head;
    char name[48];
};
struct name_definition {
    struct definition_head head;
    char name[128];
}; /* of a communicator */
struct window_definition {
    struct definition_head head;
    uint64_t id;
    uint16_t communicator, spare[3];
};
struct group_definition {
    struct definition_head head;
    int32_t count, spare;
}; /* world ranks follow */
/* modes: as enum file_mode. */
struct file_definition {
    struct definition_head head;
    uint16_t communicator, modes, spare[2];
    char name[256];
};
enum file_mode {
    FILE_READS = 1,
    FILE_WRITES = 2,
    FILE_IS_MADE = 4,
    FILE_IS_NEW = 8,
    FILE_IS_TEMPORARY = 16,
    FILE_GROWS = 32
};
struct module_definition {
    struct definition_head head;
    uint64_t base, from, to;
    char path[256];
}; /* code at [from, to); `base`: where its address 0 is */
struct counter_definition {
    struct definition_head head;
    char name[48];
};
/* id: equal on all members and nowhere else. `first`, `first_far`: world ranks of the first of each
 * group. With HAS_MEMBERS the world ranks of the own group follow. */
struct communicator_definition {
    struct definition_head head;
    uint64_t id;
    int32_t rank, size, first, first_far, size_far;
    uint32_t flags;
};

struct trace_header {
    char magic[8]; /* written last */
    uint32_t version, header_size;
    uint64_t definitions_size,
        capacity; /* bytes behind the header; events behind them, a power of two */
    uint64_t
        head; /* events that were handed a place; the ring holds the last `capacity` of them, … */
    uint64_t definitions_used;
    uint64_t lost_definitions, lost_requests; /* that found no room */
    uint32_t keep_first;                      /* … with this the first ones */
    uint32_t is_cut;                          /* parts of the run were left out on purpose */
    int32_t rank, ranks;
    double last; /* seconds before the end that are wanted; 0: all */
    double seconds_per_tick, origin_time;
    uint64_t origin_ticks, init_begin, init_end, finalize_begin,
        finalize_end; /* ticks; 0: not reached */
    uint32_t threads_asked, has_map;
    double map_rate, map_shift,
        map_error; /* seconds of the job's clock: (ticks - map_first) * map_rate + map_shift */
    uint64_t map_first;
    char node[256], program[256], library[256];
};
_Static_assert(sizeof(struct trace_header) <= TRACE_HEADER_SIZE, "it must fit");

#endif
