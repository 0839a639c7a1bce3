/* What is written down of collective calls, and of others that have parts which are kept together.
 */
#define _GNU_SOURCE
#include "sampling.h"
#include "backtrace.h"
#include "events.h"
#include "members.h"
#include "operations.h"
#include "phases.h"
#include <math.h>

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
    /* Of a call that only starts something nobody knows when its data was taken. */
    const unsigned giver = part & PART_STARTS ? ROLE_POSTS : ROLE_POSTS | ROLE_SENDS;
    switch (part & PART_WHO) {
    case PART_FROM_ROOT:
        return is_root ? giver : ROLE_WAITS;
    case PART_TO_ROOT:
        return is_root ? ROLE_POSTS | ROLE_WAITS : gives ? giver : 0;
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
                            key_of_size_bin(bytes < 0 ? 0 : bin_number((uint64_t)bytes))),
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
        sample.key = members_mix(
            chosen ^ members_mix(communicator->salt + ((uint64_t)(level + 1) << 32 | pair)));
        sample.role =
            (uint8_t)((rank >> level & 1 ? ROLE_WAITS : ROLE_POSTS) | ROLE_WHOLE | ROLE_UNRANKED);
        sample_keep(block, operation, communicator->collectives, &sample);
    }
}

static void keep_edge(struct block *block, unsigned operation, struct communicator *communicator,
                      struct sample *sample, uint64_t chosen, int from, int to)
{
    sample->members = 2;
    sample->key = members_mix(
        chosen ^ members_mix(communicator->salt + 1 +
                             members_mix((uint64_t)(uint32_t)from << 32 | (uint32_t)to)));
    sample->role = (uint8_t)(ROLE_POSTS | ROLE_WHOLE | (to == communicator->rank ? ROLE_WAITS : 0));
    sample_keep(block, operation, communicator->collectives, sample);
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
    sample.key = members_mix(chosen ^ members_mix(communicator->salt + members_mix(key)));
    sample_keep(block, operation, communicator->collectives, &sample);
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
        sample.gap = sample_gap(block, operation);
        sample.check |= (int32_t)block->straight << BEFORE;
    }
    if (part & PART_STARTS || (who != PART_PREFIX && who != PART_NEIGHBOURS))
        sample_keep(block, operation, communicator->collectives, &sample);
    else if (who == PART_PREFIX)
        keep_blocks(block, operation, communicator, sample);
    else
        keep_edges(block, operation, communicator, sample);
    if (stacks_depth && !(part & PART_STARTS) && (who == PART_PREFIX || who == PART_NEIGHBOURS))
        stacks_take(operation, communicator->collectives, &sample);
}
