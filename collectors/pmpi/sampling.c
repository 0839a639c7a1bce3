#define _GNU_SOURCE
#include "sampling.h"
#include "anybody.h"
#include "calls.h"
#include "operations.h"
#include "phases.h"
#include "backtrace.h"
#include <math.h>

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ value >> 27) * 0x94D049BB133111EBull;
    return value ^ value >> 31;
}

/* A call that starts something has not waited yet: its sample is finished when its request is. */
static void keep(struct block *block, unsigned operation, struct reservoir *reservoir,
                 const struct sample *sample)
{
    if (operation_parts[operation] & PART_STARTS) {
        block->started = *sample;
        block->chosen = (uint64_t)(reservoir - record->reservoirs);
    } else {
        sample_add(reservoir, record->samples, sample);
        if (stacks_depth && !(sample->role & ROLE_WHOLE) &&
            (sample->role & ROLE_WAITS ||
             operation_parts[operation] & PART_WHO)) /* of an exchange one half */
            stacks_take(operation, reservoir, sample);
    }
}

/* Time outside MPI before the call at hand, if it follows straight on a call with the same partners
 * that is known. Of one that only starts something nobody knows what its partners did meanwhile. */
static float gap_of(const struct block *block, unsigned operation)
{
    return block->straight && !(operation_parts[operation] & PART_STARTS) &&
                   block->begin >= block->previous
               ? (float)(block->begin - block->previous)
               : INFINITY;
}

/* All have left it after all had come. Of calls that are no communication only those that make a
 * communicator can have been the one before. */
static int lets_nobody_go(uint64_t operation)
{
    return operation_kinds[operation] == KIND_OTHER ||
           (operation_parts[operation] == PART_ALL &&
            operation_kinds[operation] == KIND_COLLECTIVE);
}

static unsigned role_of(unsigned part, int is_root, int gives)
{
    switch (part & PART_WHO) {
    case PART_FROM_ROOT:
        return is_root ? ROLE_POSTS : ROLE_WAITS;
    case PART_TO_ROOT:
        return is_root ? ROLE_POSTS | ROLE_WAITS : gives ? ROLE_POSTS : 0;
    case PART_PREFIX: /* started only: samples of its blocks belong to a call, not to a request */
        return ROLE_POSTS | ROLE_WAITS | ROLE_BOUND;
    case PART_ALL:
        return gives ? ROLE_POSTS | ROLE_WAITS : ROLE_WAITS;
    default:
        return 0;
    }
}

int sample_describe(struct sample *sample, unsigned operation, struct communicator *communicator,
                    int64_t bytes, int root)
{
    const unsigned part = operation_parts[operation];
    *sample = (struct sample){
        .check = (int32_t)operation,
        .event = (uint32_t)(communicator->key | operation |
                            (uint64_t)(bytes < 0 ? 0 : bin_number((uint64_t)bytes)) << 24),
        .members = (uint32_t)communicator->size,
        .communicator = (uint16_t)communicator->row,
        .role =
            (uint8_t)role_of(part, root == communicator->rank, bytes != 0 || !(part & PART_VARIES))
    };
    if (root == MAY_LEAVE)
        sample->role |= ROLE_SENDS;
    return (part & PART_WHO) && communicator->collectives->room;
}

static void take_times(struct sample *sample, const struct block *block, uint64_t chosen)
{
    sample->key = chosen;
    sample->chosen = (uint32_t)(chosen >> 32);
    sample->gap = INFINITY;
    sample->post = sample->enter = block->begin;
    sample->exit = block->last;
}

void sample_started(struct block *block, const struct sample *described,
                    struct reservoir *reservoir, uint64_t chosen)
{
    block->started = *described;
    take_times(&block->started, block, chosen);
    block->chosen = (uint64_t)(reservoir - record->reservoirs);
}

/* A scan waits for lower ranks only. These are whole blocks of 1, 2, 4 … ranks, one for each bit of
 * the rank: of two blocks of a size side by side the upper one waits for the lower. The pair has
 * one key, so that a rank has as many samples as bits. */
static void keep_blocks(struct block *block, unsigned operation, struct communicator *communicator,
                        struct sample sample)
{
    const uint64_t rank = (uint64_t)communicator->rank, size = (uint64_t)communicator->size,
                   chosen = sample.key;
    for (unsigned level = 0; 1ull << level < size; level++) {
        const uint64_t pair = rank >> (level + 1), first = pair << (level + 1), left = size - first;
        if (left <= 1ull << level)
            continue;
        sample.members = (uint32_t)(left < 2ull << level ? left : 2ull << level);
        sample.key = mix(chosen ^ mix(communicator->salt + ((uint64_t)(level + 1) << 32 | pair)));
        sample.role =
            (uint8_t)((rank >> level & 1 ? ROLE_WAITS : ROLE_POSTS) | ROLE_WHOLE | ROLE_UNRANKED);
        keep(block, operation, communicator->collectives, &sample);
    }
}

static void keep_edge(struct block *block, unsigned operation, struct communicator *communicator,
                      struct sample *sample, uint64_t chosen, int from, int to)
{
    sample->members = 2;
    sample->key = mix(
        chosen ^ mix(communicator->salt + 1 + mix((uint64_t)(uint32_t)from << 32 | (uint32_t)to)));
    sample->role = (uint8_t)(ROLE_POSTS | ROLE_WHOLE | (to == communicator->rank ? ROLE_WAITS : 0));
    keep(block, operation, communicator->collectives, sample);
}

/* Each waits for those that data comes from: one key for each pair of neighbours. */
static void keep_edges(struct block *block, unsigned operation, struct communicator *communicator,
                       struct sample sample)
{
    const uint64_t chosen = sample.key;
    const struct neighbours *neighbours = communicator_neighbours(communicator);
    if (!neighbours)
        sampling_not(UNSAMPLED_NEIGHBOURS);
    for (int i = 0; neighbours && i < neighbours->in; i++)
        keep_edge(block, operation, communicator, &sample, chosen, neighbours->ranks[i],
                  communicator->rank);
    for (int i = 0; neighbours && i < neighbours->out; i++)
        keep_edge(block, operation, communicator, &sample, chosen, communicator->rank,
                  neighbours->ranks[neighbours->in + i]);
}

void sample_part(struct block *block, unsigned operation, struct communicator *communicator,
                 uint64_t chosen, uint64_t key, unsigned members, unsigned role)
{
    struct sample sample = { .check = -1,
                             .event = (uint32_t)(communicator->key | operation),
                             .members = members,
                             .communicator = (uint16_t)communicator->row,
                             .role = (uint8_t)(role | ROLE_WHOLE) };
    take_times(&sample, block, chosen);
    sample.key = mix(chosen ^ mix(communicator->salt + mix(key)));
    keep(block, operation, communicator->collectives, &sample);
}

void sample_collective(struct block *block, unsigned operation, struct communicator *communicator,
                       int64_t bytes, int root, uint64_t chosen, unsigned cycle)
{
    const unsigned part = operation_parts[operation], who = part & PART_WHO;
    struct sample sample;
    if (root == MADE || !sample_describe(&sample, operation, communicator, bytes, root))
        return;
    sample.cycle = (uint8_t)cycle;
    take_times(&sample, block, chosen);
    if (part == PART_ALL && operation_kinds[operation] == KIND_COLLECTIVE && block->straight &&
        lets_nobody_go(block->straight)) {
        sample.gap = gap_of(block, operation);
        sample.check |= (int32_t)block->straight << BEFORE;
    }
    if (part & PART_STARTS || (who != PART_PREFIX && who != PART_NEIGHBOURS))
        keep(block, operation, communicator->collectives, &sample);
    else if (who == PART_PREFIX)
        keep_blocks(block, operation, communicator, sample);
    else
        keep_edges(block, operation, communicator, sample);
    if (stacks_depth && !(part & PART_STARTS) && (who == PART_PREFIX || who == PART_NEIGHBOURS))
        stacks_take(operation, communicator->collectives, &sample);
}

/* `from` and `to` by their names in peer rows. All messages of the same number are chosen together,
 * so that a call that completes many is known whole; the key tells them apart. */
static struct sample message(uint64_t enter, uint64_t exit, const struct communicator *communicator,
                             uint32_t event, int32_t from, int32_t to, int tag, uint64_t chosen)
{
    const uint64_t pair = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    const uint32_t other =
        (uint32_t)((from == peer_name(record->rank.rank) ? to : from) - peer_name(0));
    return (struct sample){ .key = mix(chosen ^ mix(communicator->salt + mix(pair))),
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
                      const struct known_peer *to, int tag, int64_t bytes, unsigned role)
{
    if (!is_numbered(communicator, to))
        return;
    uint32_t event = (uint32_t)(to->key | operation | (uint64_t)bin_number((uint64_t)bytes) << 24);
    struct sample sample =
        message(block->begin, block->last, communicator, event, peer_name(record->rank.rank),
                to->world, tag, sample_hash(to->sent));
    sample.role = (uint8_t)role;
    sample.cycle = sample_size_code((uint64_t)bytes);
    sample.gap = role & ROLE_SENDS ? gap_of(block, operation) : INFINITY;
    keep(block, operation, reservoir_of(communicator, &sample, is_first(block, FIRST_SENT)),
         &sample);
}

static int is_mixed(const struct communicator *communicator)
{
    const int mixed = anybody_is_open(communicator);
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
        message(block->begin, block->last, communicator, event | operation, from->world,
                peer_name(record->rank.rank), tag, sample_hash(from->received));
    sample.role = ROLE_POSTS | ROLE_WAITS;
    sample.gap = gap;
    keep(block, operation, reservoir_of(communicator, &sample, is_first(block, FIRST_RECEIVED)),
         &sample);
}

void sample_sent(struct block *block, unsigned operation, struct communicator *communicator,
                 int peer, int tag, int64_t bytes)
{
    keep_sent(block, operation, communicator, known_peer(communicator, peer), tag, bytes,
              ROLE_POSTS | ROLE_WAITS | ROLE_SENDS);
}

void sample_received(struct block *block, unsigned operation, struct communicator *communicator,
                     int peer, int tag)
{
    if (peer == MPI_ANY_SOURCE) { /* a request: who it was is told when it is completed */
        anybody_posting(communicator);
        block->chosen = RESERVOIR_MESSAGES;
        return;
    }
    const struct known_peer *from = known_peer(communicator, peer);
    keep_received(block, operation, communicator, from, tag, (uint32_t)from->key,
                  gap_of(block, operation));
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
    *last = message(enter, exit, communicator, (uint32_t)event_key(operation, CLASS_NONE, 0, 0),
                    from->world, peer_name(record->rank.rank), tag, sample_hash(from->received));
    last->post = posted;
    last->role = ROLE_POSTS | ROLE_WAITS | ROLE_SHARED;
    sample_add(reservoir_of(communicator, last, is_long), record->samples, last);
}

/* In an exchange it is the message to come that is waited for. Both halves belong to the row of the
 * exchange. */
void sample_exchanged(struct block *block, unsigned operation, struct communicator *communicator,
                      int peer, int tag, int64_t bytes, int source, int source_tag)
{
    const uint64_t threshold = message_threshold(communicator);
    const struct known_peer *to = peer < 0 ? NULL : known_peer(communicator, peer);
    const struct known_peer *from = source < 0 ? NULL : known_peer(communicator, source);
    if (to && (sample_hash(to->sent) < threshold || is_first(block, FIRST_SENT)))
        keep_sent(block, operation, communicator, to, tag, bytes, ROLE_POSTS);
    if (from && (sample_hash(from->received) < threshold || is_first(block, FIRST_RECEIVED)))
        keep_received(block, operation, communicator, from, source_tag,
                      to ? (uint32_t)(to->key | (uint64_t)bin_number((uint64_t)bytes) << 24)
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

void sampling_not(enum unsampled why)
{
    if (record && !(__atomic_load_n(&record->rank.unsampled, __ATOMIC_RELAXED) & why))
        __atomic_fetch_or(&record->rank.unsampled, why, __ATOMIC_RELAXED);
}

void sampling_stop_messages(struct communicator *communicator, enum unsampled why)
{
    if (__atomic_load_n(&communicator->messages, __ATOMIC_RELAXED)->room)
        sampling_not(why);
    if (record)
        __atomic_store_n(&communicator->messages, &record->reservoirs[RESERVOIR_NONE],
                         __ATOMIC_RELAXED);
}

/* Nothing is below a threshold of 0, and nothing finds room; what there is keeps the probability
 * that it had, which the other threshold, without use for messages, remembers. */
void sampling_stop_all_messages(enum unsampled why)
{
    struct reservoir *messages = record ? &record->reservoirs[RESERVOIR_MESSAGES] : NULL;
    if (!messages || !__atomic_load_n(&messages->threshold, __ATOMIC_RELAXED))
        return;
    sampling_not(why);
    for (; messages <= &record->reservoirs[RESERVOIR_LONG_MESSAGES]; messages++) {
        __atomic_store_n(&messages->boosted, messages->threshold, __ATOMIC_RELAXED);
        __atomic_store_n(&messages->room, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&messages->threshold, 0, __ATOMIC_RELAXED);
    }
}
