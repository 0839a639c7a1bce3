#include "persistent.h"
#include "peers.h"
#include "sampling.h"
#include <stdlib.h>

static struct map persistent_map = MAP_START;

static void forget(struct persistent *gone)
{
    if (gone && gone->communicator)
        communicator_let_go(gone->communicator);
    free(gone);
}

static void keep(MPI_Request request, const struct persistent *made)
{
    struct persistent *kept = malloc(sizeof *kept);
    if (!kept)
        return;
    *kept = *made;
    if (kept->communicator)
        communicator_hold(kept->communicator);
    forget(map_remove(&persistent_map, (uintptr_t)request));
    if (!map_insert(&persistent_map, (uintptr_t)request, kept))
        forget(kept);
}

/* Partitioned messages meet each other only: they have no part in the numbers of others. */
void persistent_message(MPI_Request request, struct communicator *communicator, int peer, int tag,
                        int64_t bytes, enum persistent_kind kind, uint64_t operation)
{
    struct path path = path_to(communicator, peer);
    int is_message = bytes >= 0 && path.class != CLASS_NONE;
    if (kind == PERSISTENT_RECEIVE && peer == MPI_ANY_SOURCE)
        sampling_stop_messages(communicator, UNSAMPLED_ANY_SOURCE);
    keep(request, &(struct persistent){ .bytes = is_message ? bytes : -1,
                                        .class = path.class,
                                        .world = is_message ? path.world : -1,
                                        .kind = peer < 0 ? PERSISTENT_OTHER : kind,
                                        .communicator = communicator,
                                        .peer = peer,
                                        .tag = tag,
                                        .handling = operation & ~(key_of_handling(1) - 1) });
}

/* The members make such requests in the same order, but may start them in any. */
void persistent_collective(MPI_Request request, uint64_t operation,
                           struct communicator *communicator, int64_t bytes, int root)
{
    struct persistent made = { .bytes = bytes,
                               .class = communicator->class,
                               .world = -1,
                               .handling = operation & ~(key_of_handling(1) - 1),
                               .kind = PERSISTENT_COLLECTIVE,
                               .reservoir = communicator->collectives,
                               .state = communicator_new_state(communicator) };
    if (!sample_describe(&made.sample, operation, communicator, bytes, root))
        made.kind = PERSISTENT_OTHER;
    keep(request, &made);
}

void persistent_freed(MPI_Request request)
{
    forget(map_remove(&persistent_map, (uintptr_t)request));
    pending_freed(request);
}

struct persistent *persistent_find(MPI_Request request)
{
    return map_find(&persistent_map, (uintptr_t)request);
}

void persistent_message_chosen(struct block *block, unsigned operation,
                               const struct persistent *started, MPI_Request request)
{
    if (started->kind == PERSISTENT_SEND)
        sample_sent(block, operation, started->communicator, started->peer, started->tag,
                    started->bytes < 0 ? 0 : started->bytes);
    else
        sample_received_from(block, operation, started->communicator, started->peer, started->tag);
    if (block->chosen)
        pending_start(block, request, 1);
}

void persistent_collective_started(struct block *block, struct persistent *started,
                                   MPI_Request request)
{
    const uint64_t chosen = sample_next(&started->state);
    if (!sample_is_kept(started->reservoir, chosen, 0))
        return;
    sample_started(block, &started->sample, started->reservoir, chosen);
    pending_start(block, request, 1);
}
