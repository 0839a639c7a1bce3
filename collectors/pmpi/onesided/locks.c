#define _GNU_SOURCE
#include "lock_samples.h"
#include "communicators.h"
#include "events.h"
#include "sampling_limits.h"

static int exclusive;

int locks_exclusive(void)
{
    return __atomic_load_n(&exclusive, __ATOMIC_RELAXED);
}

static inline struct window_locks *locks_of(struct communicator *window)
{
    struct window_locks *locks = __atomic_load_n(&window->locks, __ATOMIC_ACQUIRE);
    return unlikely(!locks) ? window_locks_make(window) : locks;
}

static inline int is_member(const struct communicator *window, int target)
{
    return (unsigned)target < (unsigned)window->size;
}

/* Many short epochs are in one slice. What is kept may have become less since: the room for samples
 * looks again. */
static inline unsigned kept_of(struct window_locks *locks, uint64_t first, uint64_t last)
{
    const uint64_t seen = __atomic_load_n(&locks->seen, __ATOMIC_RELAXED);
    if (unlikely(first != last))
        return lock_slices_kept(locks->key, first, last);
    if (__builtin_expect(seen >> WIDTHS == last, 1))
        return seen & ((1u << WIDTHS) - 1);
    const unsigned kept = lock_slices_kept(locks->key, last, last);
    __atomic_store_n(&locks->seen, last << WIDTHS | kept, __ATOMIC_RELAXED);
    return kept;
}

void lock_taken(struct block *block, unsigned operation, struct communicator *window, int target,
                int shares)
{
    struct window_locks *locks = locks_of(window);
    if (!shares)
        __atomic_store_n(&exclusive, 1, __ATOMIC_RELAXED);
    if (!locks || !is_member(window, target))
        return;
    locks->of[target].shares = shares != 0;
    locks->of[target].open = 1;
    const uint64_t first = slice_of(block->begin), last = slice_of(block->last);
    const unsigned kept = kept_of(locks, first, last);
    if (unlikely(kept))
        lock_keep(window, lock_target(window, target),
                  &(struct lock_part){ operation, 0, block->begin, block->last, ROLE_WAITS,
                                       shares != 0, 1 },
                  kept, first, last);
}

void locks_taken(struct block *block, unsigned operation, struct communicator *window)
{
    struct window_locks *locks = locks_of(window);
    if (!locks)
        return;
    locks->untold = window->size > MOST_LOCKED;
    if (locks->untold)
        sampling_not(UNSAMPLED_ALL_LOCKED);
    for (int target = 0; !locks->untold && target < window->size; target++)
        locks->of[target].open = locks->of[target].shares = 1;
    const uint64_t first = slice_of(block->begin), last = slice_of(block->last);
    const unsigned kept = kept_of(locks, first, last);
    if (unlikely(kept) && !locks->untold)
        lock_keep_open(
            window,
            &(struct lock_part){ operation, 0, block->begin, block->last, ROLE_WAITS, 0, 0 }, kept,
            first, last);
}

void lock_flushed(struct block *block, unsigned operation, struct communicator *window, int target)
{
    struct window_locks *locks = __atomic_load_n(&window->locks, __ATOMIC_ACQUIRE);
    if (unlikely(!locks))
        return;
    const uint64_t first = slice_of(block->begin), last = slice_of(block->last);
    const unsigned kept = kept_of(locks, first, last);
    if (unlikely(kept) && is_member(window, target) && locks->of[target].open)
        lock_keep(window, lock_target(window, target),
                  &(struct lock_part){ operation, 0, block->begin, block->last,
                                       ROLE_WAITS | ROLE_SENDS, locks->of[target].shares, 1 },
                  kept, first, last);
}

void locks_flushed(struct block *block, unsigned operation, struct communicator *window)
{
    struct window_locks *locks = __atomic_load_n(&window->locks, __ATOMIC_ACQUIRE);
    if (unlikely(!locks))
        return;
    const uint64_t first = slice_of(block->begin), last = slice_of(block->last);
    const unsigned kept = kept_of(locks, first, last);
    if (unlikely(kept) && window->size > MOST_LOCKED)
        sampling_not(UNSAMPLED_ALL_LOCKED);
    else if (unlikely(kept))
        lock_keep_open(window,
                       &(struct lock_part){ operation, 0, block->begin, block->last,
                                            ROLE_WAITS | ROLE_SENDS, 0, 0 },
                       kept, first, last);
}

void lock_given_back(struct block *block, unsigned operation, struct communicator *window,
                     int target)
{
    struct window_locks *locks = locks_of(window);
    if (!locks || !is_member(window, target))
        return;
    struct held *held = &locks->of[target];
    const uint64_t before = held->given[held->shares],
                   first = slice_of(before ? before : window->created),
                   last = slice_of(block->last);
    held->given[held->shares] = block->begin;
    held->open = 0;
    const unsigned kept = kept_of(locks, first, last);
    if (unlikely(kept))
        lock_keep(window, lock_target(window, target),
                  &(struct lock_part){ operation, before, block->begin, block->last,
                                       ROLE_POSTS | ROLE_WAITS, held->shares, 1 },
                  kept, first, last);
}

/* When this rank gave a shared lock back before: the earliest of all targets. */
static uint64_t earliest(const struct window_locks *locks, int targets, int *same)
{
    uint64_t least = locks->of[0].given[1];
    *same = 1;
    for (int i = 1; i < targets; i++) {
        *same &= locks->of[i].given[1] == locks->of[0].given[1];
        least = locks->of[i].given[1] < least ? locks->of[i].given[1] : least;
    }
    return least;
}

void locks_given_back(struct block *block, unsigned operation, struct communicator *window)
{
    struct window_locks *locks = locks_of(window);
    int same;
    if (!locks || locks->untold)
        return;
    const uint64_t before = earliest(locks, window->size, &same),
                   first = slice_of(before ? before : window->created),
                   last = slice_of(block->last);
    const unsigned kept = kept_of(locks, first, last);
    if (unlikely(kept))
        lock_keep_open(window,
                       &(struct lock_part){ operation, same ? before : 0, block->begin, block->last,
                                            ROLE_POSTS | ROLE_WAITS, 0, 0 },
                       kept, first, last);
    for (int target = 0; target < window->size; target++) {
        locks->of[target].given[1] = block->begin;
        locks->of[target].open = 0;
    }
}

/* After the last call: until then this rank had given nothing back. */
void locks_end(struct communicator *window, uint64_t at)
{
    struct window_locks *locks = window->locks;
    for (int target = 0; locks && record && target < window->size; target++)
        for (int shares = 0; shares < 2; shares++) {
            const uint64_t before = locks->of[target].given[shares], first = slice_of(before),
                           last = slice_of(at);
            const unsigned kept = before ? lock_slices_kept(locks->key, first, last) : 0;
            if (kept)
                lock_keep(window, lock_target(window, target),
                          &(struct lock_part){ 0, before, 0, 0, ROLE_POSTS, shares, 1 }, kept,
                          first, last);
        }
}
