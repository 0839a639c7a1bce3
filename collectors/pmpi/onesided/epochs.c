#include "epochs.h"
#include <stdlib.h>

/* The open one; `chosen` 0: it is not sampled. */
struct epoch {
    uint64_t state, chosen;
    int count, ranks[MOST_NEIGHBOURS];
};
struct epochs {
    struct epoch of[EPOCH_KINDS];
};

/* Parts of an epoch between two ranks: a post, for which start or complete waits, and a complete,
 * for which wait does. */
enum part { PART_POST = 1, PART_COMPLETE = 2 };

static uint64_t key_of(enum part part, int target, int origin)
{
    return (uint64_t)part << 62 | (uint64_t)(uint32_t)target << 31 | (uint32_t)origin;
}

static struct epoch *epoch_of(struct communicator *window, enum epoch_kind kind)
{
    if (window->salt && !window->epochs && (window->epochs = calloc(1, sizeof *window->epochs)))
        window->epochs->of[EPOCH_ACCESS].state = window->epochs->of[EPOCH_EXPOSURE].state =
            ~window->salt;
    return window->epochs ? &window->epochs->of[kind] : NULL;
}

void epoch_opened(struct block *block, unsigned operation, struct communicator *window,
                  enum epoch_kind kind, MPI_Group group)
{
    struct epoch *epoch = epoch_of(window, kind);
    if (!epoch)
        return;
    epoch->chosen = sample_next(&epoch->state);
    if (__builtin_expect(!sample_is_kept(window->collectives, epoch->chosen, 0), 1)) {
        epoch->chosen = 0;
        return;
    }
    if (!communicator_ranks(window, group, epoch->ranks, MOST_NEIGHBOURS, &epoch->count)) {
        sampling_not(UNSAMPLED_GROUP);
        epoch->chosen = 0;
    }
    for (int i = 0; epoch->chosen && i < epoch->count; i++)
        if (kind == EPOCH_EXPOSURE)
            sample_part(block, operation, window, epoch->chosen,
                        key_of(PART_POST, window->rank, epoch->ranks[i]), 3,
                        ROLE_POSTS | ROLE_UNRANKED);
        else /* it may go before the post, and then it is complete that waits */
            sample_part(block, operation, window, epoch->chosen,
                        key_of(PART_POST, epoch->ranks[i], window->rank), 3,
                        ROLE_WAITS | ROLE_SENDS);
}

void epoch_closed(struct block *block, unsigned operation, struct communicator *window,
                  enum epoch_kind kind)
{
    struct epoch *epoch = window->epochs ? &window->epochs->of[kind] : NULL;
    for (int i = 0; epoch && epoch->chosen && i < epoch->count; i++)
        if (kind == EPOCH_EXPOSURE) {
            sample_part(block, operation, window, epoch->chosen,
                        key_of(PART_COMPLETE, window->rank, epoch->ranks[i]), 2,
                        ROLE_POSTS | ROLE_WAITS);
        } else {
            sample_part(block, operation, window, epoch->chosen,
                        key_of(PART_POST, epoch->ranks[i], window->rank), 3, ROLE_WAITS);
            sample_part(block, operation, window, epoch->chosen,
                        key_of(PART_COMPLETE, epoch->ranks[i], window->rank), 2, ROLE_POSTS);
        }
    if (epoch)
        epoch->chosen = 0;
}
