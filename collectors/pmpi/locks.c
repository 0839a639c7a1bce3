#define _GNU_SOURCE
#include "locks.h"
#include "backtrace.h"
#include "members.h"
#include "slices.h"
#include "lifecycle.h"
#include <math.h>
#include <stdlib.h>

/* Of one host, in ticks: a quarter of a millisecond, more or less. Between hosts ranks see a slice begin as far apart as their clocks were compared when the job
 * started, and drift since: slices are much wider, and what returns too near their edges is left out. */
#if defined(__aarch64__)
enum { TICKS_OF_SLICE = 1 << 13 };
#else
enum { TICKS_OF_SLICE = 1 << 19 };
#endif
static const double SECONDS_OF_SLICE = 4e-3;

static struct { uint64_t first; double rate, shift, width; } slices = { 0, 1.0 / TICKS_OF_SLICE, 0, 0 };
static uint64_t memory;
static int exclusive;

void locks_start(double offset)
{
    double time;
    if (job.nodes < 2)
        return;
    clock_origin(&time, &slices.first);
    slices.width = SECONDS_OF_SLICE;
    slices.rate = clock_seconds_per_tick() / slices.width;
    slices.shift = (time + offset) / slices.width;
}

double locks_place(uint64_t ticks) { return (double)(int64_t)(ticks - slices.first) * slices.rate + slices.shift; }
double locks_width(void) { return slices.width; }
static inline uint64_t slice_of(uint64_t ticks) { return (uint64_t)(int64_t)((double)(int64_t)(ticks - slices.first) * slices.rate + slices.shift); }   /* of signed numbers: one instruction */

int locks_exclusive(void) { return __atomic_load_n(&exclusive, __ATOMIC_RELAXED); }
uint64_t locks_memory(void) { return __atomic_load_n(&memory, __ATOMIC_RELAXED); }

void locks_discard(struct held *held, int size)
{
    if (held)
        __atomic_sub_fetch(&memory, (uint64_t)size * sizeof *held, __ATOMIC_RELAXED);
    free(held);
}

/* Pages of targets that are never locked are never touched. */
static __attribute__((noinline)) struct held *make_all(struct communicator *window)
{
    if (!window->salt || !record)
        return NULL;
    struct held *made = calloc((size_t)window->size, sizeof *made), *none = NULL;
    if (made && !__atomic_compare_exchange_n(&window->held_locks, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(made);
        return none;
    }
    if (made)
        __atomic_add_fetch(&memory, (uint64_t)window->size * sizeof *made, __ATOMIC_RELAXED);
    return made;
}

static inline struct held *held_of(struct communicator *window, int target)
{
    struct held *all = __atomic_load_n(&window->held_locks, __ATOMIC_ACQUIRE);
    if (unlikely(!all) && !(all = make_all(window)))
        return NULL;
    if (unlikely((unsigned)target >= (unsigned)window->size))
        return NULL;
    if (unlikely(!all[target].key))
        all[target].key = members_mix(~window->salt + members_mix((uint64_t)target + 1)) | 1;
    return &all[target];
}

int lock_target(struct communicator *window, int member) { return known_peer(window, member)->world - peer_name(0); }

/* `before`: of a call that gives back, when this rank did so before; 0: never, and it stands for all the time since the window was made. */
struct part { unsigned operation; uint64_t before, enter, exit; unsigned role; int shares; };

static void add(const struct sample *sample, int width, uint64_t first, uint64_t last)
{
    struct reservoir *locks = &record->reservoirs[RESERVOIR_LOCKS + width];
    struct sample kept = *sample;
    kept.chosen = slices_chosen(slices_level(sample->key, first, last));
    if (sample_add(locks, record->samples, &kept) && stacks_depth && width == NARROW && sample->role & ROLE_WAITS && slice_level(sample->key, last) >= slices_asked(locks->threshold))
        stacks_take(sample->event & 0xFFFF, locks, &kept);
    if (__atomic_load_n(&locks->lost, __ATOMIC_RELAXED))
        sampling_not(UNSAMPLED_LOCKS);
}

/* `kept`: a bit for each width. */
static __attribute__((noinline)) void keep(struct communicator *window, uint64_t key, int target, const struct part *part, unsigned kept, uint64_t first, uint64_t last)
{
    const int world = lock_target(window, target);
    const struct sample sample = { .key = key, .post = part->before, .enter = part->enter, .exit = part->exit, .gap = INFINITY, .check = part->shares,
        .event = (uint32_t)(window->key | part->operation), .members = SAMPLE_PAIR | (uint32_t)world, .role = (uint8_t)part->role };
    for (int width = NARROW; world >= 0 && width < WIDTHS; width++)
        if (kept >> width & 1)
            add(&sample, width, first >> width * WIDER, last >> width * WIDER);
}

static inline unsigned level_asked(int width) { return slices_asked(__atomic_load_n(&record->reservoirs[RESERVOIR_LOCKS + width].threshold, __ATOMIC_RELAXED)); }

static unsigned kept_in(uint64_t key, uint64_t first, uint64_t last)
{
    unsigned kept = 0;
    for (int width = NARROW; width < WIDTHS; width++)
        kept |= (unsigned)slices_touch(key, first >> width * WIDER, last >> width * WIDER, level_asked(width)) << width;
    return kept;
}

/* Many short epochs are in one slice. What is kept may have become less since: the room for samples looks again. */
static inline unsigned kept_at(struct held *held, uint64_t slice)
{
    if (unlikely(held->slice != slice)) {
        held->slice = slice;
        held->kept = (uint8_t)kept_in(held->key, slice, slice);
    }
    return held->kept;
}

void lock_taken(struct block *block, unsigned operation, struct communicator *window, int target, int shares)
{
    struct held *held = held_of(window, target);
    if (!shares)
        __atomic_store_n(&exclusive, 1, __ATOMIC_RELAXED);
    if (!held)
        return;
    held->shares = shares != 0;
    const uint64_t first = slice_of(block->begin), last = slice_of(block->last);
    const unsigned kept = first == last ? kept_at(held, last) : kept_in(held->key, first, last);
    if (unlikely(kept))
        keep(window, held->key, target, &(struct part){ operation, 0, block->begin, block->last, ROLE_WAITS, held->shares }, kept, first, last);
}

static void give_back(struct block *block, unsigned operation, struct communicator *window, int target, struct held *held, unsigned role)
{
    const uint64_t before = held->given[held->shares], first = slice_of(before ? before : window->created), last = slice_of(block->last);
    held->given[held->shares] = block->begin;
    const unsigned kept = first == last ? kept_at(held, last) : kept_in(held->key, first, last);
    if (unlikely(kept))
        keep(window, held->key, target, &(struct part){ operation, before, block->begin, block->last, role, held->shares }, kept, first, last);
}

void lock_given_back(struct block *block, unsigned operation, struct communicator *window, int target)
{
    struct held *held = held_of(window, target);
    if (held)
        give_back(block, operation, window, target, held, ROLE_POSTS | ROLE_WAITS);
}

/* One call waits for many: what it waited itself is not told. */
void locks_given_back(struct block *block, unsigned operation, struct communicator *window)
{
    if (window->size > MOST_LOCKED)
        sampling_not(UNSAMPLED_ALL_LOCKED);
    for (int target = 0; window->size <= MOST_LOCKED && target < window->size; target++) {
        struct held *held = held_of(window, target);
        if (!held)
            return;
        held->shares = 1;
        give_back(block, operation, window, target, held, ROLE_POSTS);
    }
}

/* After the last call: until then this rank had given nothing back. */
void locks_end(struct communicator *window, uint64_t at)
{
    struct held *all = window->held_locks;
    for (int target = 0; all && record && target < window->size; target++)
        for (int shares = 0; shares < 2; shares++) {
            const uint64_t before = all[target].given[shares], key = all[target].key, first = slice_of(before), last = slice_of(at);
            const unsigned kept = before ? kept_in(key, first, last) : 0;
            if (kept)
                keep(window, key, target, &(struct part){ 0, before, 0, 0, ROLE_POSTS, shares }, kept, first, last);
        }
}
