/* What every generated wrapper does around the library's call. */
#ifndef ADVISOR_CALLS_H
#define ADVISOR_CALLS_H

#include "library.h"
#include "events.h"
#include "communicators.h"
#include "datatypes.h"
#include "callers.h"

#define EXPORT __attribute__((visibility("default")))
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* The block to count in, or NULL: pass the call through. Resolves the library's functions at the first call. */
struct block *call_begin_slow(const void *caller);

/* A peer that may be MPI_PROC_NULL (no message) or MPI_ANY_SOURCE. */
struct path { unsigned class; int world; };

static inline struct path path_to(struct communicator *communicator, int peer)
{
    if (unlikely(peer < 0))
        return (struct path){ peer == MPI_ANY_SOURCE ? CLASS_ANY : CLASS_NONE, -1 };
    uint64_t known = communicator->peers[peer & (PEER_CACHE - 1)];
    if (unlikely((known >> 32) != (uint64_t)peer + 1))
        known = communicator_peer_slow(communicator, peer);
    return (struct path){ (unsigned)known & 15, (int)((uint32_t)known >> 4) - 1 };
}

/* The call that ran from block->begin to block->last. `bytes` -1: it carries no data, bin -1. */
void call_count(struct block *block, unsigned operation, const void *caller, unsigned class);
void call_count_collective(struct block *block, unsigned operation, const void *caller, struct communicator *communicator, int64_t bytes);
void call_count_sent(struct block *block, unsigned operation, const void *caller, struct communicator *communicator, int peer, int64_t bytes);
void call_count_received(struct block *block, unsigned operation, const void *caller, struct communicator *communicator, int peer);
void call_count_data(struct block *block, unsigned operation, const void *caller, unsigned class, int64_t bytes);
void call_count_start(struct block *block, unsigned operation, const void *caller, int count, MPI_Request *requests);

#endif
