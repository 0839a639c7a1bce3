/* The hot path of messages. */
#ifndef ADVISOR_MESSAGES_H
#define ADVISOR_MESSAGES_H

#include "calls.h"

/* Everything is looked up before anything is counted, so that all that is rare is one jump away and
 * no register need be saved. NULL: not counted. `bytes` of a message that went are not negative. */
static inline __attribute__((always_inline)) struct known_peer *
count_sent(struct block *block, uint64_t operation, const void *caller,
           struct communicator *communicator, int peer, int64_t bytes)
{
    uint64_t site = caller_address(caller);
    struct known_peer *to =
        &communicator->peers[(uint64_t)(uint32_t)peer & communicator->peer_mask];
    if (unlikely(to->who != (uint64_t)(uint32_t)peer || site - layer_low < layer_size))
        return NULL;
    struct peer_row *sent = (struct peer_row *)((char *)block + to->place);
    uint64_t key = sized_key(to->key, operation, (uint64_t)bytes);
    struct event_row *row = event_row_of(block, site, key);
    uint64_t ticks = block->last - block->begin;
    if (unlikely(sent->peer != to->world || row->site != site || row->key != key ||
                 ticks > row->longest || block->last >= block->slice_end))
        return NULL;
    sent->messages++;
    sent->bytes += (uint64_t)bytes;
    event_add(row, (uint64_t)bytes, ticks);
    current = block;
    return to;
}

/* The same of a receive that names its sender. */
static inline __attribute__((always_inline)) struct known_peer *
count_received(struct block *block, uint64_t operation, const void *caller,
               struct communicator *communicator, int peer)
{
    const uint64_t site = caller_address(caller);
    struct known_peer *from =
        &communicator->peers[(uint64_t)(uint32_t)peer & communicator->peer_mask];
    if (unlikely(from->who != (uint64_t)(uint32_t)peer || site - layer_low < layer_size))
        return NULL;
    const uint64_t key = from->key | operation, ticks = block->last - block->begin;
    struct event_row *row = event_row_of(block, site, key);
    if (unlikely(row->site != site || row->key != key || ticks > row->longest ||
                 block->last >= block->slice_end))
        return NULL;
    event_add(row, 0, ticks);
    current = block;
    return from;
}

/* Where as many messages went as came, both halves have the same number, and so the same choice.
 * Inlined: of the twelve arguments of an exchange eight would be handed on once more. */
static inline __attribute__((always_inline)) int
call_count_exchanged(struct block *block, uint64_t operation, const void *caller,
                     struct communicator *communicator, int peer, int64_t bytes, int source,
                     const MPI_Status *status)
{
    struct known_peer *from =
        &communicator->peers[(uint64_t)(uint32_t)source & communicator->peer_mask];
    if (unlikely(from->who != (uint64_t)(uint32_t)source))
        return call_count_exchanged_slow(block, operation, caller, communicator, peer, bytes,
                                         source, status);
    struct known_peer *to = count_sent(block, operation, caller, communicator, peer, bytes);
    if (unlikely(!to))
        return call_count_exchanged_slow(block, operation, caller, communicator, peer, bytes,
                                         source, status);
    uint64_t sent = sample_step(&to->sent), received = sample_step(&from->received);
    return sent != received || sample_hash(sent) < message_threshold(communicator);
}

#endif
