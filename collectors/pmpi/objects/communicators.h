/* Descriptions of communicators: class, size, members on this node, and an id that is equal on all
 * members. */
#ifndef ADVISOR_COMMUNICATORS_H
#define ADVISOR_COMMUNICATORS_H

#include "library.h"
#include "map.h"
#include "record.h"
#include <pthread.h>

/* Distinct ranks of a communicator or window, this rank left out; `in` of those that data comes
 * from, then `out` of those it goes to. Both -1: there are too many to be kept. */
enum { MOST_NEIGHBOURS = 64 };
struct neighbours {
    int in, out, ranks[MOST_NEIGHBOURS];
};

#define NOBODY              UINT64_MAX /* no rank, nor MPI_PROC_NULL or MPI_ANY_SOURCE as 32 bits */
#define unlikely(condition) __builtin_expect(!!(condition), 0)

enum { PEER_CACHE = 256 }; /* most peers remembered of a communicator, a power of two */

/* One peer of a communicator, in one cache line, with all that counting a message to it needs. */
struct known_peer {
    uint64_t who;   /* its rank; NOBODY: nobody yet */
    uint64_t key;   /* event_key of the path to it */
    uint64_t place; /* where its peer_row is looked for first: bytes from the start of the block */
    uint64_t sent, received; /* messages of this communicator, as sample_next() counts */
    int32_t world;           /* its peer_name() */
    uint32_t
        uncounted; /* it took the place of another: its messages are not numbered from the first */
    uint64_t sent_exit,
        received_exit; /* of the last call that sent or received one: message_mark() */
};

struct communicator {
    uint64_t key;   /* its part of event_key: class and row */
    uint64_t state; /* its collective operations, numbered alike on all members: sample_next() */
    uint64_t last_exit; /* of its last collective operation, ticks; before the first one, of the
                           call that made it */
    uint32_t
        last_operation; /* which that was; 0: one without data, which may let go who comes first */
    uint32_t list;      /* of its members (members.h) */
    struct reservoir *collectives, *messages; /* where samples of it go; RESERVOIR_NONE: nowhere */
    uint64_t peer_mask;                       /* a peer lies at peers[rank & peer_mask] */
    struct known_peer *peers;
    uint64_t salt;    /* equal on all members, differs between communicators of the same members */
    unsigned class;   /* enum class */
    unsigned row;     /* in record->communicators; 1: overflowed */
    int rank, size;   /* in the local group */
    int partners;     /* members that collectives exchange data with: size, or the remote group's */
    int inter, world; /* world: same members in the same order as MPI_COMM_WORLD */
    uint64_t windows; /* made of it so far */
    uint64_t persistents;          /* persistent collective requests made of it so far */
    struct neighbours *neighbours; /* NULL: not asked yet */
    struct epochs *epochs;         /* of a window; NULL: none was opened yet */
    struct window_locks *locks;    /* of a window; NULL: none was taken yet */
    uint64_t created;              /* of a window, when: ticks; before its members could lock it */
    unsigned held;                 /* requests that need it, and … */
    int gone;                      /* … the program has freed it */
    int open_receives; /* from MPI_ANY_SOURCE, of which nobody knows yet which messages they get
                          (any_source.c) */
    int degree;        /* outgoing neighbours, -1: not asked yet */
    MPI_Group group;   /* of the partners; MPI_GROUP_NULL: not asked yet */
    MPI_Comm handle;
#if defined(ADVISOR_TRACED)
    uint64_t traced_salt; /* `traced` is its number in the trace if this is its salt */
    uint32_t traced_windows;
    uint16_t traced;
#endif
    struct known_peer nobody; /* what `peers` is before the first message */
};

extern struct map communicator_map __attribute__((visibility("hidden")));
extern struct communicator communicator_unknown
    __attribute__((visibility("hidden"))); /* before the record exists, and where memory ran out */
extern pthread_mutex_t communicators_lock __attribute__((
    visibility("hidden"))); /* of descriptions, their peers, and the rows of the record */

struct communicator *
communicator_meet(MPI_Comm handle); /* not seen yet: asks the library, locally */
struct communicator *communicator_find(MPI_Comm handle); /* seen or not */

static inline __attribute__((always_inline)) struct communicator *communicator_of(MPI_Comm handle)
{
    struct map_slot *slot = map_slot_at(&communicator_map, (uintptr_t)handle);
    if (__builtin_expect(__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) == (uintptr_t)handle, 1))
        return slot->value;
    return communicator_find(handle);
}

void communicators_start(int world_rank, int world_size, MPI_Group world, uint32_t *nodes);
/* nodes[i]: host of world rank i, kept; NULL: not known */
void communicator_created(MPI_Comm handle, unsigned operation,
                          uint64_t exit); /* a call has returned a new one */
void communicator_copied(MPI_Comm parent, MPI_Comm handle, unsigned operation,
                         uint64_t exit); /* the same with the members of another */
void communicator_duplicated(MPI_Comm parent,
                             MPI_Comm handle); /* it cannot be asked yet (MPI_Comm_idup) */
void communicator_freed(MPI_Comm handle);      /* before the library forgets it */
void communicator_named(MPI_Comm handle, const char *name);
struct communicator *
communicator_of_group(MPI_Group group); /* for windows: outlives its communicator */
void communicator_of_window(struct communicator *made, MPI_Comm comm); /* its fences are sampled */
void communicator_release(struct communicator *communicator);
MPI_Group
communicator_group(struct communicator *communicator); /* MPI_GROUP_NULL: it cannot be told */
/* A request may live longer than its communicator. */
void communicator_hold(struct communicator *communicator);
void communicator_let_go(struct communicator *communicator);
/* Ranks of the communicator or window that a group has, -1 for others; 0: there are more than
 * `room`. */
int communicator_ranks(struct communicator *communicator, MPI_Group group, int *ranks, int room,
                       int *count);
uint64_t communicators_memory(void); /* bytes allocated for those that live */

static inline int communicator_is_root(const struct communicator *communicator, int root)
{
    return root == MPI_ROOT || (root == communicator->rank && !communicator->inter);
}
int communicator_degree(struct communicator *communicator);
const struct neighbours *
communicator_neighbours(struct communicator *communicator); /* NULL: unknown, or too many */
uint64_t communicator_new_state(
    struct communicator
        *communicator); /* of numbers that all members count alike, beside its own */

#endif
