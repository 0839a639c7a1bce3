/* Which messages are kept, by their numbers, and what is written down of them. */
#define _GNU_SOURCE
#include "sampling.h"
#include "members.h"
#include "peers.h"
#include "events.h"
#include <math.h>

/* `from` and `to` by their names in peer rows. All messages of the same number are chosen together,
 * so that a call that completes many is known whole; the key tells them apart. */
static struct sample message(uint64_t enter, uint64_t exit, uint64_t salt, uint32_t event,
                             int32_t from, int32_t to, int tag, uint64_t chosen)
{
    const uint64_t pair = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    const uint32_t other =
        (uint32_t)((from == peer_name(record->rank.rank) ? to : from) - peer_name(0));
    return (struct sample){ .key = members_mix(chosen ^ members_mix(salt + members_mix(pair))),
                            .chosen = (uint32_t)(chosen >> 32),
                            .check = tag,
                            .gap = INFINITY,
                            .post = enter,
                            .enter = enter,
                            .exit = exit,
                            .event = event,
                            .members = SAMPLE_PAIR | other,
                            .communicator = 0 }; /* as in the rows that count messages */
}

static int is_numbered(const struct communicator *communicator, const struct known_peer *peer)
{
    return __atomic_load_n(&__atomic_load_n(&communicator->messages, __ATOMIC_RELAXED)->room,
                           __ATOMIC_RELAXED) &&
           !peer->uncounted && peer->world >= peer_name(0);
}

/* Where a message is kept whose number is `chosen`: there is room of its own for the long ones. */
static struct reservoir *reservoir_of(const struct communicator *communicator,
                                      struct sample *sample, int is_long)
{
    struct reservoir *long_messages = &record->reservoirs[RESERVOIR_LONG_MESSAGES];
    if (!is_long || !sample_is_kept(long_messages, (uint64_t)sample->chosen << 32, 0))
        return __atomic_load_n(&communicator->messages, __ATOMIC_RELAXED);
    sample->role |= ROLE_LONG;
    return long_messages;
}

static int is_first(const struct block *block, unsigned half)
{
    return event_is_behind(block) && block->firsts & half;
}

static void keep_sent(struct block *block, unsigned operation, struct communicator *communicator,
                      const struct known_peer *to, int tag, int64_t bytes, unsigned role, float gap)
{
    if (!is_numbered(communicator, to))
        return;
    uint32_t event = (uint32_t)(to->key | operation | key_of_size_bin(bin_number((uint64_t)bytes)));
    struct sample sample =
        message(block->begin, block->last, communicator->salt, event, peer_name(record->rank.rank),
                to->world, tag, sample_hash(to->sent));
    sample.role = (uint8_t)role;
    sample.cycle = sample_size_code((uint64_t)bytes);
    sample.gap = gap;
    sample_keep(block, operation, reservoir_of(communicator, &sample, is_first(block, FIRST_SENT)),
                &sample);
}

static int is_mixed(const struct communicator *communicator)
{
    const int mixed = communicator->open_receives != 0;
    if (mixed)
        sampling_not(UNSAMPLED_MIXED);
    return mixed;
}

static void keep_received(struct block *block, unsigned operation,
                          struct communicator *communicator, const struct known_peer *from, int tag,
                          uint32_t event, float gap)
{
    if (!is_numbered(communicator, from) || is_mixed(communicator))
        return;
    struct sample sample =
        message(block->begin, block->last, communicator->salt, event | operation, from->world,
                peer_name(record->rank.rank), tag, sample_hash(from->received));
    sample.role = ROLE_POSTS | ROLE_WAITS;
    sample.gap = gap;
    sample_keep(block, operation,
                reservoir_of(communicator, &sample, is_first(block, FIRST_RECEIVED)), &sample);
}

void sample_sent(struct block *block, unsigned operation, struct communicator *communicator,
                 int peer, int tag, int64_t bytes)
{
    keep_sent(block, operation, communicator, known_peer(communicator, peer), tag, bytes,
              ROLE_POSTS | ROLE_WAITS | ROLE_SENDS, sample_gap(block, operation));
}

void sample_received_from(struct block *block, unsigned operation,
                          struct communicator *communicator, int peer, int tag)
{
    const struct known_peer *from = known_peer(communicator, peer);
    keep_received(block, operation, communicator, from, tag, (uint32_t)from->key,
                  sample_gap(block, operation));
}

/* Was a receive that names its sender numbered after this one was posted? Marks differ from times
 * in their upper bits only. */
static int was_overtaken(const struct known_peer *from, uint64_t posted)
{
    return from->received_exit && (int64_t)((from->received_exit - posted) << 12) > 0;
}

void sample_received_late(struct communicator *communicator, int source, int tag,
                          unsigned operation, uint64_t posted, uint64_t enter, uint64_t exit,
                          struct sample *last)
{
    struct known_peer *from = known_peer(communicator, source);
    const int overtaken = was_overtaken(from, posted), is_long = stratum_of(exit - enter) > 0;
    if ((sample_next(&from->received) >= message_threshold(communicator) && !is_long) ||
        !is_numbered(communicator, from))
        return;
    if (overtaken) {
        sampling_not(UNSAMPLED_MIXED);
        return;
    }
    *last =
        message(enter, exit, communicator->salt, (uint32_t)event_key(operation, CLASS_NONE, 0, 0),
                from->world, peer_name(record->rank.rank), tag, sample_hash(from->received));
    last->post = posted;
    last->role = ROLE_POSTS | ROLE_WAITS | ROLE_SHARED;
    sample_add(reservoir_of(communicator, last, is_long), record->samples, last);
}

void sample_completed_late(const struct posted *posted, unsigned operation, uint64_t enter,
                           uint64_t exit, struct sample *last)
{
    struct reservoir *long_messages = &record->reservoirs[RESERVOIR_LONG_MESSAGES];
    const uint64_t chosen = sample_hash(posted->number);
    const int32_t own = peer_name(record->rank.rank), other = posted->other;
    if (!sample_is_kept(long_messages, chosen >> 32 << 32, 0))
        return;
    *last = message(enter, exit, posted->salt, (uint32_t)event_key(operation, CLASS_NONE, 0, 0),
                    posted->sends ? own : other, posted->sends ? other : own, posted->tag, chosen);
    last->post = posted->post;
    last->role = (uint8_t)(ROLE_POSTS | ROLE_WAITS | ROLE_SHARED | ROLE_LONG |
                           (posted->sends ? ROLE_SENDS : 0));
    last->gap = posted->exit >= posted->post ? (float)(posted->exit - posted->post) : INFINITY;
    sample_add(long_messages, record->samples, last);
}

/* An exchange waits for the message to come, and for who receives its own if it stayed until that
 * came, as a long message has to. Both halves belong to the row of the exchange. */
void sample_exchanged(struct block *block, unsigned operation, struct communicator *communicator,
                      int peer, int tag, int64_t bytes, int source, int source_tag)
{
    const uint64_t threshold = message_threshold(communicator);
    const struct known_peer *to = peer < 0 ? NULL : known_peer(communicator, peer);
    const struct known_peer *from = source < 0 ? NULL : known_peer(communicator, source);
    if (to && (sample_hash(to->sent) < threshold || is_first(block, FIRST_SENT)))
        keep_sent(block, operation, communicator, to, tag, bytes,
                  ROLE_POSTS | ROLE_WAITS | ROLE_SENDS, INFINITY);
    if (from && (sample_hash(from->received) < threshold || is_first(block, FIRST_RECEIVED)))
        keep_received(block, operation, communicator, from, source_tag,
                      to ? (uint32_t)(to->key | key_of_size_bin(bin_number((uint64_t)bytes)))
                         : (uint32_t)event_key(0, CLASS_NONE, 0, 0),
                      INFINITY);
}

void sample_received_any(struct block *block, unsigned operation, struct communicator *communicator,
                         const MPI_Status *status)
{
    if (status->MPI_SOURCE < 0)
        return;
    struct known_peer *from = known_peer(communicator, status->MPI_SOURCE);
    const int first = event_is_first_behind(block, from->received_exit);
    block->firsts = first ? FIRST_RECEIVED : 0;
    from->received_exit = block->last;
    if (sample_next(&from->received) < message_threshold(communicator) || first)
        keep_received(block, operation, communicator, from, status->MPI_TAG,
                      (uint32_t)event_key(0, CLASS_ANY, 0, 0), INFINITY);
}

void sample_matched(struct block *block, unsigned operation, struct communicator *communicator,
                    int source, const MPI_Status *status, int waited)
{
    const int from = received_from(source, status);
    if (from < 0)
        return;
    struct known_peer *peer = known_peer(communicator, from);
    const uint64_t chosen = sample_next(&peer->received);
    const int first = event_is_first_behind(block, peer->received_exit);
    block->firsts = first ? FIRST_RECEIVED : 0;
    peer->received_exit = block->last;
    if (waited && (chosen < message_threshold(communicator) || first))
        keep_received(block, operation, communicator, peer,
                      status == MPI_STATUS_IGNORE ? MPI_ANY_TAG : status->MPI_TAG,
                      (uint32_t)event_key(0, path_to(communicator, source).class, 0, 0), INFINITY);
}
