/* What is known of each communicator: class, size, members on this host, and an id that all members agree on. */
#ifndef ADVISOR_COMMUNICATORS_H
#define ADVISOR_COMMUNICATORS_H

#include "library.h"
#include "map.h"
#include "record.h"

enum { PEER_CACHE = 64 };   /* a power of two */

struct communicator {
    uint64_t key;            /* its part of event_key: class and row */
    unsigned class;          /* enum class */
    unsigned row;            /* in record->communicators; 1: folded */
    int rank, size;          /* in the local group */
    int partners;            /* members that collectives exchange data with: size, or the remote group's */
    int inter, world;        /* world: same members in the same order as MPI_COMM_WORLD */
    int degree;              /* outgoing neighbours, -1: not asked yet */
    MPI_Group group;         /* of the partners */
    MPI_Comm handle;
    /* (rank + 1) << 32 | (world rank + 1) << 4 | class of the path, at the place rank % PEER_CACHE */
    uint64_t peers[PEER_CACHE];
};

extern struct map communicator_map __attribute__((visibility("hidden")));

struct communicator *communicator_meet(MPI_Comm handle);   /* not seen yet: asks the library, locally */
uint64_t communicator_peer_slow(struct communicator *communicator, int peer);

static inline __attribute__((always_inline)) struct communicator *communicator_of(MPI_Comm handle)
{
    struct communicator *found = map_find(&communicator_map, (uintptr_t)handle);
    return __builtin_expect(found != NULL, 1) ? found : communicator_meet(handle);
}

void communicators_start(int world_rank, int world_size, MPI_Group world, uint32_t *nodes);
/* nodes[i]: host of world rank i, kept; NULL: not known */
void communicator_created(MPI_Comm handle);                     /* a call has returned a new one */
void communicator_duplicated(MPI_Comm parent, MPI_Comm handle); /* it cannot be asked yet (MPI_Comm_idup) */
void communicator_freed(MPI_Comm handle);                       /* before the library forgets it */
void communicator_named(MPI_Comm handle, const char *name);
struct communicator *communicator_of_group(MPI_Group group);    /* for windows: outlives its communicator */
void communicator_release(struct communicator *communicator);
uint64_t communicators_memory(void);                            /* bytes allocated for those that live */

static inline int communicator_is_root(const struct communicator *communicator, int root)
{
    return root == MPI_ROOT || (root == communicator->rank && !communicator->inter);
}
int communicator_degree(struct communicator *communicator);

#endif
