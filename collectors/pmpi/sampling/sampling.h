/* Which calls are kept with their times (core/samples/samples.h), and what is written down of
 * them. */
#ifndef ADVISOR_SAMPLING_H
#define ADVISOR_SAMPLING_H

#include <limits.h>
#include "communicators.h"
#include "samples.h"
#include "sampling_limits.h"

/* A sample of the call at hand, as the functions below make it; and the time outside MPI before
 * that, INFINITY: not known. */
void sample_keep(struct block *block, unsigned operation, struct reservoir *reservoir,
                 const struct sample *sample);
float sample_gap(const struct block *block, unsigned operation);

enum {
    NO_ROOT = -1,
    MAY_LEAVE = -2,
    MADE = -3
}; /* in place of a root; MAY_LEAVE: who comes need not stay until all have come; MADE: a request
      only */
/* The call at hand, already counted, was chosen. `root`: of the operation, -1 where it has none. */
void sample_collective(struct block *block, unsigned operation, struct communicator *communicator,
                       int64_t bytes, int root, uint64_t chosen, unsigned cycle);
/* What all instances of an operation have in common, perhaps started later (persistent.h). 0: it is
 * not sampled. */
int sample_describe(struct sample *sample, unsigned operation, struct communicator *communicator,
                    int64_t bytes, int root);
void sample_started(struct block *block, const struct sample *described,
                    struct reservoir *reservoir, uint64_t chosen);
void sample_sent(struct block *block, unsigned operation, struct communicator *communicator,
                 int peer, int tag, int64_t bytes);
void sample_received_from(struct block *block, unsigned operation,
                          struct communicator *communicator, int peer, int tag);
/* One of several samples of the call at hand, which is known only if all of them are: `key` of its
 * part, equal on all `members` of it. */
void sample_part(struct block *block, unsigned operation, struct communicator *communicator,
                 uint64_t chosen, uint64_t key, unsigned members, unsigned role);
/* Perhaps one of the halves only. */
void sample_exchanged(struct block *block, unsigned operation, struct communicator *communicator,
                      int peer, int tag, int64_t bytes, int source, int source_tag);

/* From any source, and who it was is told now: a receive, or a matched probe that waited. */
void sample_received_any(struct block *block, unsigned operation, struct communicator *communicator,
                         const MPI_Status *status);
/* A request that has been completed, and all that were posted before it on the communicator have.
 * The sample, if it was kept, is `last`. */
void sample_received_late(struct communicator *communicator, int source, int tag,
                          unsigned operation, uint64_t posted, uint64_t enter, uint64_t exit,
                          struct sample *last);
/* A message that was not chosen by its number, from its post until it is completed. `number`: of
 * those to or from `other`, a peer_name(). */
struct posted {
    uint64_t salt, number, post, exit;
    int32_t other, tag;
    int sends;
};
/* It was completed in a call that took long: both ends keep such a message if its partner was
 * absent, whatever its number. The sample, if it was kept, is `last`. */
void sample_completed_late(const struct posted *posted, unsigned operation, uint64_t enter,
                           uint64_t exit, struct sample *last);
/* A matched probe has found a message. */
void sample_matched(struct block *block, unsigned operation, struct communicator *communicator,
                    int source, const MPI_Status *status, int waited);

/* MPI_ANY_SOURCE: the program wanted no status that would tell. */
static inline int received_from(int source, const MPI_Status *status)
{
    return source == MPI_ANY_SOURCE && status != MPI_STATUS_IGNORE ? status->MPI_SOURCE : source;
}

static inline uint64_t message_threshold(const struct communicator *communicator)
{
    const struct reservoir *messages = __atomic_load_n(&communicator->messages, __ATOMIC_RELAXED);
    return __atomic_load_n(&messages->threshold, __ATOMIC_RELAXED);
}

/* Requests whose completion is to be timed, or may be: `pending_requests` of them. */
extern unsigned pending_requests __attribute__((visibility("hidden")));
/* 1 from the first completing call that took long: it costs each message some twenty instructions,
 * which programs without such calls need not pay. */
extern int pending_remembers __attribute__((visibility("hidden")));
void pending_start(
    struct block *block, MPI_Request request,
    int stays); /* the call at hand, chosen, has made or started it; `stays`: when over */
/* The call at hand has posted or started a message that was not chosen: it is remembered, in case
 * that the call which completes it takes long. */
enum { POSTED_SEND = 1, POSTED_STAYS = 2 };
void pending_posted(const struct block *block, const struct communicator *communicator, int peer,
                    int tag, MPI_Request request, int how);
int pending_watch(int count,
                  const MPI_Request *requests); /* before they complete: how many are watched */
/* Those watched, afterwards. Of requests that stay only the call knows which are over: `done` of
 * them, by `indices`, or EVERY one. */
enum { EVERY = INT_MAX };
void pending_done(struct block *block, unsigned operation, const MPI_Request *requests, int done,
                  const int *indices);
void pending_freed(MPI_Request request);

/* After a call that made a request. */
static inline void sample_request(struct block *block, const MPI_Request *request)
{
    if (__builtin_expect(block->chosen != 0, 0))
        pending_start(block, *request, 0);
}

#endif
