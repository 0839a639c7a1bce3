/* Counting one call. `current` is the whole state of a thread: its block while it is outside MPI and may be counted,
 * NULL while it is inside an MPI call, before MPI_Init, after MPI_Finalize, and in threads of the library. */
#ifndef ADVISOR_EVENTS_H
#define ADVISOR_EVENTS_H

#include "record.h"
#include "clock.h"

extern __thread struct block *current __attribute__((tls_model("initial-exec")));

static inline int bin_of(uint64_t bytes) { return bytes ? 64 - __builtin_clzll(bytes) : 0; }

static inline unsigned event_slot(uint64_t site, uint64_t key)
{
    return (unsigned)(((site ^ key * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull) >> 52) & (EVENT_ROWS - 1);
}

struct event_row *event_row_slow(struct block *block, uint64_t site, uint64_t key, unsigned slot);
void peer_row_slow(struct block *block, int peer, unsigned path, uint64_t bytes, unsigned slot);

static inline void event_count(struct block *block, uint64_t site, uint64_t key, uint64_t bytes, uint64_t begin, uint64_t end)
{
    uint64_t ticks = end - begin;
    if (__builtin_expect((int64_t)ticks < 0, 0)) {
        ticks = 0;
        block->clock_faults++;
    }
    unsigned slot = event_slot(site, key);
    struct event_row *row = &block->events[slot];
    if (__builtin_expect(row->site != site || row->key != key, 0))
        row = event_row_slow(block, site, key, slot);
    row->count++;
    row->bytes += bytes;
    row->ticks += ticks;
    if (__builtin_expect(ticks < row->shortest, 0))
        row->shortest = ticks;
    if (__builtin_expect(ticks > row->longest, 0))
        row->longest = ticks;
    block->last = end;
}

static inline void peer_count(struct block *block, int peer, unsigned path, uint64_t bytes)
{
    unsigned slot = 1 + ((uint32_t)peer * 0x9E3779B1u >> 23) % (PEER_ROWS - 1);
    struct peer_row *row = &block->peers[slot];
    if (__builtin_expect(row->peer != peer || !row->messages, 0)) {
        peer_row_slow(block, peer, path, bytes, slot);
        return;
    }
    row->messages++;
    row->bytes += bytes;
}

/* Set by the owner of modules (pmpi/sites.c): which file an address lies in. Row 0: unknown. */
extern void (*event_locate)(uint64_t site, uint16_t *module, uint32_t *offset);

#endif
