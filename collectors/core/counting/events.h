/* Counting one call. */
#ifndef ADVISOR_EVENTS_H
#define ADVISOR_EVENTS_H

#include "record.h"
#include "clock.h"
#include "run_delay.h"
#include "strata.h"
#include "thread.h"

enum {
    FINE_LIMIT = EVENT_ROWS * 3 / 4
}; /* rows, after which calls are counted without their site, and long ones with the short ones */

/* Bin plus one: 1 for 0 bytes, m + 1 for [2^(m-1), 2^m - 1]. A call that carries no data has 0. */
static inline unsigned bin_number(uint64_t bytes)
{
    return 64 - (unsigned)__builtin_clzll(2 * bytes + 1);
}

/* A key, the operation (and handling) and size that it lacks: added instead of combined, which is
 * one instruction for all three. */
static inline uint64_t sized_key(uint64_t key, uint64_t operation, uint64_t bytes)
{
    return key + key_of_size_bin(bin_number(bytes) - 1) +
           ((uint32_t)key_of_size_bin(1) + operation);
}

static inline unsigned event_slot(uint64_t site, uint64_t key)
{
    return (unsigned)(((site << 20 ^ key) * 0x9E3779B97F4A7C15ull) >> 52) & (EVENT_ROWS - 1);
}

/* block->events[event_slot(site, key)], its place in bytes taken from the hash at once: compilers
 * shift to and fro otherwise. */
static inline struct event_row *event_row_of(struct block *block, uint64_t site, uint64_t key)
{
    _Static_assert(EVENT_ROWS == 1 << 12 && sizeof(struct event_row) == 1 << 6,
                   "12 bits of row, 6 of size");
    uint64_t place = (site << 20 ^ key) * 0x9E3779B97F4A7C15ull >> 46 & ~63ull;
    struct event_row *row = (struct event_row *)((char *)block->events + place);
    __asm__("" : "+r"(row)); /* kept in a register, not computed again for each member */
    return row;
}

void event_begin_slow(struct block *block);
/* A receive that was chosen is open from the call at hand on; it is over. */
void event_awaits(struct block *block);
void event_awaits_no_more(struct block *block);
void event_count_slow(struct block *block, uint64_t site, uint64_t key, uint64_t bytes);
void peer_row_slow(struct block *block, int peer, unsigned path, uint64_t bytes, unsigned slot);

/* Of a call that was not the longest so far. */
static inline void event_add(struct event_row *row, uint64_t bytes, uint64_t ticks)
{
    row->count++;
    row->bytes += bytes;
    row->ticks += ticks;
    if (__builtin_expect(ticks < row->shortest, 0))
        row->shortest = ticks;
}

/* The call at hand begins. */
static inline void event_begin(struct block *block)
{
    block->previous = block->last;
    block->begin = clock_ticks();
    if (__builtin_expect(block->begin >= block->slice_end, 0))
        event_begin_slow(block);
}

/* Is the call at hand, which is over, in a stratum of long ones? */
static inline int event_is_long(const struct block *block)
{
    return (block->last - block->begin) >> STRATUM_FIRST != 0;
}
/* Is the call at hand long, or did it come straight after a long time? Once it is counted. */
static inline int event_is_behind(const struct block *block)
{
    return block->begin < block->behind_until;
}
/* And is it the first with its partner since then? `before`: exit of the one before, of which the
 * upper 12 bits may be anything. */
static inline int event_is_first_behind(const struct block *block, uint64_t before)
{
    return event_is_behind(block) &&
           (!before || (int64_t)((before - block->behind_since) << 12) < 0);
}

/* The call at hand asks whether something has come: did the one before it ask, and find nothing? */
static inline void event_asks(struct block *block)
{
    if (block->previous == block->asked)
        block->between_polls += block->begin - block->previous;
}

/* The call at hand ran from block->begin to block->last; with this it is over, and the thread may
 * be counted again. Where the clock went back, ticks are more than any that were seen, so that one
 * comparison finds both rare cases. */
static inline void event_count(struct block *block, uint64_t site, uint64_t key, uint64_t bytes)
{
    uint64_t ticks = block->last - block->begin;
    struct event_row *row = event_row_of(block, site, key);
    if (__builtin_expect(row->site != site || row->key != key || ticks > row->longest ||
                             block->last >= block->slice_end,
                         0)) {
        event_count_slow(block, site, key, bytes);
        return;
    }
    event_add(row, bytes, ticks);
    current = block;
}

/* Where the row of a peer is looked for first, row 0 being for those that found no room; and that
 * in bytes from the block. */
static inline unsigned peer_slot(int peer)
{
    return 1 + ((uint32_t)peer * 0x9E3779B1u >> 23);
}
static inline uint64_t peer_place(int peer)
{
    return offsetof(struct block, peers) + peer_slot(peer) * sizeof(struct peer_row);
}

static inline void peer_count(struct block *block, int peer, unsigned path, uint64_t bytes)
{
    unsigned slot = peer_slot(peer);
    struct peer_row *row = &block->peers[slot];
    if (__builtin_expect(row->peer != peer_name(peer), 0)) {
        peer_row_slow(block, peer, path, bytes, slot);
        return;
    }
    row->messages++;
    row->bytes += bytes;
}

/* Set by the owner of modules (pmpi/callers/sites.c): which file an address lies in. Row 0:
 * unknown. */
extern void (*event_locate)(uint64_t site, uint16_t *module, uint32_t *offset);

#endif
