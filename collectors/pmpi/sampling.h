/* Which calls are kept with their times (core/samples.h), and what is written down of them. */
#ifndef ADVISOR_SAMPLING_H
#define ADVISOR_SAMPLING_H

#include "communicators.h"
#include "samples.h"

/* The call at hand, already counted, was chosen. `root`: of the operation, -1 where it has none. */
void sample_collective(struct block *block, unsigned operation, struct communicator *communicator, int64_t bytes, int root, uint64_t chosen, unsigned cycle);
void sample_sent(struct block *block, unsigned operation, struct communicator *communicator, int peer, int tag, int64_t bytes);
void sample_received(struct block *block, unsigned operation, struct communicator *communicator, int peer, int tag);
/* Perhaps one of the halves only. */
void sample_exchanged(struct block *block, unsigned operation, struct communicator *communicator, int peer, int tag, int64_t bytes, int source, int source_tag);

/* Numbers of messages no longer agree with those of the peers: a receive from anybody, a persistent request. */
void sampling_stop_messages(struct communicator *communicator);
void sampling_stop_all_messages(void);

static inline uint64_t message_threshold(const struct communicator *communicator)
{
    const struct reservoir *messages = __atomic_load_n(&communicator->messages, __ATOMIC_RELAXED);
    return __atomic_load_n(&messages->threshold, __ATOMIC_RELAXED);
}

/* Requests whose completion is to be timed: `pending_requests` of them. */
extern unsigned pending_requests __attribute__((visibility("hidden")));
void pending_start(struct block *block, MPI_Request request);        /* the call at hand, chosen, has made it */
int pending_watch(int count, const MPI_Request *requests);           /* before they complete: how many are watched */
void pending_done(struct block *block, unsigned operation, const MPI_Request *requests);  /* those watched, afterwards */
void pending_freed(MPI_Request request);

/* After a call that made a request. */
static inline void sample_request(struct block *block, const MPI_Request *request)
{
    if (__builtin_expect(block->chosen != 0, 0))
        pending_start(block, *request);
}

#endif
