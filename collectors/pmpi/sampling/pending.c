/* Requests whose completion is to be timed, since they were chosen by their number, or since it may
 * take long. What finds its place taken is not: a sample less. */
#define _GNU_SOURCE
#include "sampling.h"
#include "any_source.h"
#include "events.h"
#include "backtrace.h"
#include <math.h>
#include <stdlib.h>

enum { PENDING = 256, WATCHED = 128 };

/* Of what was chosen `sample` and its reservoir are known; of other messages, RESERVOIR_NONE, what
 * they were. */
static struct pending {
    uintptr_t request;
    uint32_t reservoir;
    int stays;
    union {
        struct sample sample;
        struct posted posted;
    };
} pending[PENDING];
static unsigned busy;

/* The pending requests among those of the call at hand: where they lie in its array, and here. Room
 * is made when there are some: a library that is opened by a running program finds a few hundred
 * bytes for the variables of a thread, or cannot be opened. */
static __thread struct watched {
    uint32_t index, slot;
} *watched __attribute__((tls_model("initial-exec")));
static __thread int watching __attribute__((tls_model("initial-exec")));

static unsigned slot_of(uintptr_t request)
{
    return (unsigned)((uint64_t)request * 0x9E3779B97F4A7C15ull >> 56);
}

static int take(void)
{
    return !__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE);
}
static void leave(void)
{
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

static int is_receive(const struct sample *sample)
{
    return sample->members & SAMPLE_PAIR && !(sample->role & ROLE_SENDS);
}

void pending_start(struct block *block, MPI_Request request, int stays)
{
    unsigned slot = slot_of((uintptr_t)request);
    uint64_t reservoir = block->chosen;
    block->chosen = 0;
    if (any_source_posted(block, request) || request == MPI_REQUEST_NULL || !take())
        return;
    if (!pending[slot].request)
        __atomic_fetch_add(&pending_requests, 1, __ATOMIC_RELAXED);
    pending[slot].sample = block->started;
    pending[slot].reservoir = (uint32_t)reservoir;
    pending[slot].stays = stays;
    if (is_receive(&block->started))
        event_awaits(block);
    __atomic_store_n(&pending[slot].request, (uintptr_t)request, __ATOMIC_RELEASE);
    leave();
}

static void write_down(struct pending *place, const struct block *block,
                       const struct communicator *communicator, const struct known_peer *other,
                       int tag, MPI_Request request, int how)
{
    const int sends = how & POSTED_SEND;
    if (!place->request)
        __atomic_fetch_add(&pending_requests, 1, __ATOMIC_RELAXED);
    place->reservoir = RESERVOIR_NONE;
    place->stays = how & POSTED_STAYS;
    place->posted = (struct posted){ .salt = communicator->salt,
                                     .number = __atomic_load_n(
                                         sends ? &other->sent : &other->received, __ATOMIC_RELAXED),
                                     .post = block->begin,
                                     .exit = block->last,
                                     .other = other->world,
                                     .tag = tag,
                                     .sends = sends };
    __atomic_store_n(&place->request, (uintptr_t)request, __ATOMIC_RELEASE);
}

void pending_posted(const struct block *block, const struct communicator *communicator, int peer,
                    int tag, MPI_Request request, int how)
{
    struct pending *place = &pending[slot_of((uintptr_t)request)];
    const struct known_peer *other =
        &communicator->peers[(uint64_t)(uint32_t)peer & communicator->peer_mask];
    const int sends = how & POSTED_SEND;
    /* Who was just counted is known, but for MPI_PROC_NULL and MPI_ANY_SOURCE. */
    if (other->who != (uint64_t)(uint32_t)peer || other->uncounted ||
        !__atomic_load_n(&communicator->messages, __ATOMIC_RELAXED)->room ||
        (!sends && communicator->open_receives))
        return;
    if (!take())
        return;
    if (!place->request || place->reservoir == RESERVOIR_NONE)
        write_down(place, block, communicator, other, tag, request, how);
    leave();
}

int pending_watch(int count, const MPI_Request *requests)
{
    watching = 0;
    for (int i = 0; i < count && watching < WATCHED; i++) {
        unsigned slot = slot_of((uintptr_t)requests[i]);
        if (requests[i] != MPI_REQUEST_NULL &&
            __atomic_load_n(&pending[slot].request, __ATOMIC_ACQUIRE) == (uintptr_t)requests[i]) {
            if (!watched && !(watched = malloc(WATCHED * sizeof *watched)))
                break;
            watched[watching].index = (uint32_t)i;
            watched[watching++].slot = slot;
        }
    }
    return any_source_watch(count, requests) + watching;
}

/* When the thread at hand was in MPI again since it posted a receive, as far as that is known; and
 * never later than in the call at hand. */
static uint16_t back_since(const struct block *block, uint64_t post)
{
    const uint64_t back =
        block->away_end > post && block->away_end < block->begin ? block->away_end : block->begin;
    return block->begin > post
               ? (uint16_t)((double)(back - post) / (double)(block->begin - post) * SAMPLE_BACK)
               : 0;
}

static void finish_chosen(struct block *block, unsigned operation, struct reservoir *reservoir,
                          struct sample *sample)
{
    sample->gap = sample->exit >= sample->post
                      ? (float)(sample->exit - sample->post)
                      : INFINITY; /* until now these were the times of the call that posted */
    sample->enter = block->begin;
    sample->exit = block->last;
    sample->event = (uint32_t)event_key(operation, CLASS_NONE, 0, 0);
    sample->communicator = 0;
    if (is_receive(sample)) {
        sample->communicator = back_since(block, sample->post);
        event_awaits_no_more(block);
    }
    sample->role |= ROLE_SHARED;
    sample_add(reservoir, record->samples, sample);
}

/* Its place is free then. 1: it was chosen; `last` is its sample. */
static int finish(struct block *block, unsigned operation, unsigned slot, struct sample *last)
{
    struct pending *place = &pending[slot];
    const int chosen = place->reservoir != RESERVOIR_NONE;
    if (chosen) {
        finish_chosen(block, operation, &record->reservoirs[place->reservoir], &place->sample);
        *last = place->sample;
    } else if (event_is_long(block)) {
        sample_completed_late(&place->posted, operation, block->begin, block->last, last);
    }
    __atomic_store_n(&place->request, 0, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&pending_requests, 1, __ATOMIC_RELAXED);
    return chosen;
}

static int is_over(unsigned slot, uint32_t index, const MPI_Request *requests, int done,
                   const int *indices)
{
    if (!pending[slot].stays || done == EVERY)
        return pending[slot].stays || (uintptr_t)requests[index] != pending[slot].request;
    for (int i = 0; i < done; i++)
        if (indices[i] == (int)index)
            return 1;
    return 0;
}

void pending_done(struct block *block, unsigned operation, const MPI_Request *requests, int done,
                  const int *indices)
{
    if (!record)
        return;
    struct sample last = { .exit = 0 };
    uint64_t reservoir = RESERVOIR_MESSAGES;
    any_source_done(block, operation, requests, done, indices, &last);
    if (event_is_long(block))
        __atomic_store_n(&pending_remembers, 1, __ATOMIC_RELAXED);
    if (!take())
        return;
    for (int i = 0; i < watching; i++) {
        const struct pending *place = &pending[watched[i].slot];
        if (place->request && is_over(watched[i].slot, watched[i].index, requests, done, indices) &&
            finish(block, operation, watched[i].slot, &last))
            reservoir = place->reservoir;
    }
    leave();
    if (stacks_depth && last.exit)
        stacks_take(operation, &record->reservoirs[reservoir], &last);
}

void pending_freed(MPI_Request request)
{
    unsigned slot = slot_of((uintptr_t)request);
    any_source_freed(request);
    if (!__atomic_load_n(&pending_requests, __ATOMIC_RELAXED) ||
        __atomic_load_n(&pending[slot].request, __ATOMIC_RELAXED) != (uintptr_t)request || !take())
        return;
    __atomic_store_n(&pending[slot].request, 0, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&pending_requests, 1, __ATOMIC_RELAXED);
    leave();
}
