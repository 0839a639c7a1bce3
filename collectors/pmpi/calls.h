/* What every generated wrapper does around the library's call. */
#ifndef ADVISOR_CALLS_H
#define ADVISOR_CALLS_H

#include "library.h"
#include "events.h"
#include "communicators.h"
#include "datatypes.h"
#include "callers.h"
#include "sampling.h"

#define EXPORT              __attribute__((visibility("default")))
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* The block to count in, or NULL: pass the call through. Resolves the library's functions at the
 * first call. */
struct block *call_begin_slow(const void *caller);

/* A peer that may be MPI_PROC_NULL (no message) or MPI_ANY_SOURCE. */
struct path {
    unsigned class;
    int world;
};

static inline struct known_peer *known_peer(struct communicator *communicator, int peer)
{
    struct known_peer *known =
        &communicator->peers[(uint64_t)(uint32_t)peer & communicator->peer_mask];
    return unlikely(known->who != (uint64_t)(uint32_t)peer)
               ? communicator_peer_slow(communicator, peer)
               : known;
}

static inline struct path path_to(struct communicator *communicator, int peer)
{
    if (unlikely(peer < 0))
        return (struct path){ peer == MPI_ANY_SOURCE ? CLASS_ANY : CLASS_NONE, -1 };
    const struct known_peer *known = known_peer(communicator, peer);
    return (struct path){ (unsigned)(known->key >> 16) & 0xFF, known->world - 2 };
}

/* The call that ran from block->begin to block->last. `bytes` -1: it carries no data, bin -1. */
void call_count(struct block *block, unsigned operation, const void *caller, unsigned class);
enum {
    NO_ROOT = -1,
    MAY_LEAVE = -2,
    MADE = -3
}; /* in place of a root; MAY_LEAVE: who comes need not stay until all have come; MADE: a request
      only */
void call_count_collective(struct block *block, unsigned operation, const void *caller,
                           struct communicator *communicator, int64_t bytes, int root);
/* A message, a receive, a message each way. Not 0: its number was chosen, it is to be sampled. */
int call_count_sent(struct block *block, unsigned operation, const void *caller,
                    struct communicator *communicator, int peer, int64_t bytes);
int call_count_received(struct block *block, unsigned operation, const void *caller,
                        struct communicator *communicator, int peer);
int call_count_exchanged_slow(struct block *block, unsigned operation, const void *caller,
                              struct communicator *communicator, int peer, int64_t bytes,
                              int source, const MPI_Status *status);
void call_count_probed(struct block *block, unsigned operation, const void *caller,
                       struct communicator *communicator, int peer);
void call_count_data(struct block *block, unsigned operation, const void *caller, unsigned class,
                     int64_t bytes);
void call_count_start(struct block *block, unsigned operation, const void *caller, int count,
                      MPI_Request *requests);

#endif
