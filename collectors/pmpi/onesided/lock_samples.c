#define _GNU_SOURCE
#include "lock_samples.h"
#include "events.h"
#include "peers.h"
#include "sampling_limits.h"
#include "backtrace.h"
#include "slices.h"
#include <math.h>

int lock_target(struct communicator *window, int member)
{
    return known_peer(window, member)->world - peer_name(0);
}

/* Of the targets of a call one tells the stack that led to it. */
static int is_first_of(const struct sample *sample)
{
    const uint32_t target = sample->members & ~SAMPLE_PAIR;
    return sample->role & ROLE_WAITS &&
           (sample->check >> TARGET_BITS == 1 || target == EVERY_TARGET ||
            target == (uint32_t)record->rank.rank);
}

static void add(const struct sample *sample, int width, uint64_t first, uint64_t last)
{
    struct reservoir *locks = &record->reservoirs[RESERVOIR_LOCKS + width];
    struct sample kept = *sample;
    kept.chosen = slices_chosen(slices_level(sample->key, first, last));
    if (sample_add(locks, record->samples, &kept) && stacks_depth && width == NARROW &&
        is_first_of(sample) && slice_level(sample->key, last) >= slices_asked(locks->threshold))
        stacks_take(key_operation(sample->event), locks, &kept);
    if (__atomic_load_n(&locks->lost, __ATOMIC_RELAXED))
        sampling_not(UNSAMPLED_LOCKS);
}

void lock_keep(struct communicator *window, int world, const struct lock_part *part, unsigned kept,
               uint64_t first, uint64_t last)
{
    const struct sample sample = { .key = window->locks->key,
                                   .post = part->before,
                                   .enter = part->enter,
                                   .exit = part->exit,
                                   .gap = INFINITY,
                                   .check = part->shares | part->targets << TARGET_BITS,
                                   .event = (uint32_t)(window->key | part->operation),
                                   .members = SAMPLE_PAIR | (uint32_t)world,
                                   .role = (uint8_t)part->role };
    for (int width = NARROW; world >= 0 && width < WIDTHS; width++)
        if (kept >> width & 1)
            add(&sample, width, first >> width * WIDER, last >> width * WIDER);
}

void lock_keep_open(struct communicator *window, struct lock_part *part, unsigned kept,
                    uint64_t first, uint64_t last)
{
    const struct window_locks *locks = window->locks;
    int shared = 0;
    for (int i = 0; i < window->size; i++) {
        part->targets += locks->of[i].open;
        shared += locks->of[i].open & locks->of[i].shares;
    }
    part->shares = 1;
    if (window->world && shared == window->size && shared > 1) {
        lock_keep(window, EVERY_TARGET, part, kept, first, last);
        return;
    }
    for (int i = 0; i < window->size; i++) {
        part->shares = locks->of[i].shares;
        if (locks->of[i].open)
            lock_keep(window, lock_target(window, i), part, kept, first, last);
    }
}
