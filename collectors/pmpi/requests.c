#include "requests.h"
#include "calls.h"
#include <stdlib.h>

static struct map persistent_map = MAP_START;

static void keep(MPI_Request request, const struct persistent *made)
{
    struct persistent *kept = malloc(sizeof *kept);
    if (!kept)
        return;
    *kept = *made;
    free(map_remove(&persistent_map, (uintptr_t)request));
    if (!map_insert(&persistent_map, (uintptr_t)request, kept))
        free(kept);
}

/* Partitioned messages meet each other only: they have no part in the numbers of others. */
void persistent_message(MPI_Request request, struct communicator *communicator, int peer, int tag, int64_t bytes, enum persistent_kind kind)
{
    struct path path = path_to(communicator, peer);
    int is_message = bytes >= 0 && path.class != CLASS_NONE;
    if (kind == PERSISTENT_RECEIVE && peer == MPI_ANY_SOURCE)
        sampling_stop_messages(communicator, UNSAMPLED_ANY_SOURCE);
    keep(request, &(struct persistent){ .bytes = is_message ? bytes : -1, .class = path.class, .world = is_message ? path.world : -1,
        .kind = peer < 0 ? PERSISTENT_OTHER : kind, .salt = communicator->salt, .handle = communicator->handle, .peer = peer, .tag = tag });
}

/* The members make such requests in the same order, but may start them in any. */
void persistent_collective(MPI_Request request, unsigned operation, struct communicator *communicator, int64_t bytes, int root)
{
    struct persistent made = { .bytes = bytes, .class = communicator->class, .world = -1, .kind = PERSISTENT_COLLECTIVE,
        .reservoir = communicator->collectives, .state = communicator_new_state(communicator) };
    if (!sample_describe(&made.sample, operation, communicator, bytes, root))
        made.kind = PERSISTENT_OTHER;
    keep(request, &made);
}

void persistent_freed(MPI_Request request)
{
    free(map_remove(&persistent_map, (uintptr_t)request));
    pending_freed(request);
}

struct persistent *persistent_find(MPI_Request request) { return map_find(&persistent_map, (uintptr_t)request); }

static void start_message(struct block *block, unsigned operation, const struct persistent *started)
{
    struct communicator *communicator = map_find(&communicator_map, (uintptr_t)started->handle);
    if (!communicator || communicator->salt != started->salt)
        return;
    struct known_peer *peer = known_peer(communicator, started->peer);
    const int sends = started->kind == PERSISTENT_SEND;
    if (sample_next(sends ? &peer->sent : &peer->received) >= message_threshold(communicator))
        return;
    if (sends)
        sample_sent(block, operation, communicator, started->peer, started->tag, started->bytes < 0 ? 0 : started->bytes);
    else
        sample_received(block, operation, communicator, started->peer, started->tag);
}

void persistent_started(struct block *block, unsigned operation, struct persistent *started, MPI_Request request)
{
    if (started->kind == PERSISTENT_COLLECTIVE) {
        const uint64_t chosen = sample_next(&started->state);
        if (unlikely(sample_is_kept(started->reservoir, chosen, 0)))
            sample_started(block, &started->sample, started->reservoir, chosen);
    } else if (started->kind != PERSISTENT_OTHER) {
        start_message(block, operation, started);
    }
    if (unlikely(block->chosen != 0))
        pending_start(block, request, 1);
}
