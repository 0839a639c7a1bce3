/* The rare half of counting: a new kind of call, the longest so far, the first after a slice of
 * time, a clock that went back. */
#include "events.h"
#include "counters.h"
#include "phases.h"
#include <stddef.h>

void (*event_locate)(uint64_t site, uint16_t *module, uint32_t *offset);

enum { COARSE_LIMIT = EVENT_ROWS - 64, CALLS_BEHIND = 64, PART_BEHIND = 8, CALLS_AWAITED = 8 };

/* Who waits long waits for somebody who was away, or waited himself, and then came: both ends
 * notice it without a word to each other, so that they keep the same messages, however rare they
 * are. Straight after it is: within an eighth of how long it was. */
static void begin_behind(struct block *block, uint64_t end, uint64_t lasted)
{
    if (lasted >> STRATUM_FIRST == 0)
        return;
    block->behind_since = end;
    if (end + lasted / PART_BEHIND > block->behind_until)
        block->behind_until = end + lasted / PART_BEHIND;
    block->behind_calls = CALLS_BEHIND;
    block_deadline(block);
}

static void end_behind(struct block *block)
{
    block->behind_until = block->behind_calls = 0;
    block_deadline(block);
}

/* Who sends a long message waits until its receiver is in MPI again. Receives and sends are posted
 * in a row, and then a rank computes: that is the longest time outside within a few calls. */
void event_awaits(struct block *block)
{
    if (!block->awaited_calls)
        block->away = block->away_end = 0;
    block->awaited_calls = CALLS_AWAITED;
    block_deadline(block);
}

void event_awaits_no_more(struct block *block)
{
    block->awaited_calls = 0;
    block_deadline(block);
}

static void look_away(struct block *block)
{
    const uint64_t away = block->begin - block->previous;
    if (block->begin > block->previous && away > block->away) {
        block->away = away;
        block->away_end = block->begin;
    }
    if (!--block->awaited_calls)
        block_deadline(block);
}

void event_begin_slow(struct block *block)
{
    if (block->awaited_calls) {
        look_away(block);
        if (!block->behind_calls && block->begin < block_due(block))
            return;
    }
    if (block->behind_calls && (!--block->behind_calls || block->begin >= block->behind_until))
        end_behind(block);
    if (block->previous && block->begin > block->previous)
        begin_behind(block, block->begin, block->begin - block->previous);
    run_delay_entry(block);
}

/* Row 0 is never probed: it is where calls go that found no room. */
static struct event_row *probe(struct block *block, uint64_t site, uint64_t key, unsigned slot)
{
    for (;; slot = (slot + 1) & (EVENT_ROWS - 1)) {
        struct event_row *row = &block->events[slot];
        if (slot && (!row->key || (row->site == site && row->key == key)))
            return row;
    }
}

static struct event_row *start_row(struct block *block, struct event_row *row, uint64_t site,
                                   uint64_t key)
{
    row->shortest = UINT64_MAX;
    row->site = site;
    row->key = key;
    block->used[block->used_events++] = (uint16_t)(row - block->events);
    return row;
}

static struct event_row *start_located(struct block *block, struct event_row *row, uint64_t site,
                                       uint64_t key)
{
    if (site && event_locate)
        event_locate(site, &row->module, &row->offset);
    return start_row(block, row, site, key);
}

/* First choice a row of its own; then one without its call site and communicator; then row 0. */
static struct event_row *find_row(struct block *block, uint64_t site, uint64_t key)
{
    struct event_row *row = probe(block, site, key, event_slot(site, key));
    if (row->key)
        return row;
    if (block->used_events < FINE_LIMIT)
        return start_located(block, row, site, key);
    block->overflowed++;
    uint64_t coarse = key_kind(key) | key_of_communicator(key_communicator(key) ? 1 : 0) |
                      key_of_handling(key_handling(key));
    row = probe(block, 0, coarse, event_slot(0, coarse));
    if (row->key)
        return row;
    return block->used_events < COARSE_LIMIT ? start_row(block, row, 0, coarse) : &block->events[0];
}

/* The first choice of a long call is a row beside that of the short calls, which has its place
 * already: looking that up takes a lock, and any call may turn out long. */
static struct event_row *find_long_row(struct block *block, uint64_t site, uint64_t key,
                                       unsigned stratum)
{
    struct event_row *beside = find_row(block, site, key);
    if (!stratum || beside->key != key || beside->site != site)
        return beside;
    key |= key_of_stratum(stratum);
    struct event_row *row = probe(block, site, key, event_slot(site, key));
    if (row->key)
        return row;
    if (block->used_events >= FINE_LIMIT)
        return beside;
    row->module = beside->module;
    row->offset = beside->offset;
    return start_row(block, row, site, key);
}

void event_count_slow(struct block *block, uint64_t site, uint64_t key, uint64_t bytes)
{
    int64_t ticks = (int64_t)(block->last - block->begin);
    if (block->last >= block->phases.end)
        phases_turn(block, key_operation(key));
    if (ticks < 0) {
        ticks = 0;
        block->clock_faults++;
    }
    struct event_row *row = find_long_row(block, site, key, stratum_of((uint64_t)ticks));
    event_add(row, bytes, (uint64_t)ticks);
    begin_behind(block, block->last, (uint64_t)ticks);
    if ((uint64_t)ticks > row->longest)
        row->longest = (uint64_t)ticks;
    if (block->delay_at && block->last >= block->delay_at)
        run_delay_exit(block);
    if (block->reading_at && block->last >= block->reading_at)
        counters_exit(block);
    else
        current = block;
}

void peer_row_slow(struct block *block, int peer, unsigned path, uint64_t bytes, unsigned slot)
{
    struct peer_row *row = &block->peers[slot];
    while (row->messages && row->peer != peer_name(peer)) {
        slot = slot < PEER_ROWS ? slot + 1 : 1;
        row = &block->peers[slot];
    }
    if (!row->messages && block->used_peers >= PEER_ROWS * 3 / 4)
        row = &block->peers[0];
    else if (!row->messages) {
        row->peer = peer_name(peer);
        row->path = (uint16_t)path;
        block->used_peers++;
    }
    row->messages++;
    row->bytes += bytes;
}
