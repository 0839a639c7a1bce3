/* Requests whose completion is to be timed, since they were chosen by their number, or since it may
 * take long. What finds its place taken is not: a sample less. */
#define _GNU_SOURCE
#include "sampling.h"
#include "any_source.h"
#include "events.h"
#include "backtrace.h"
#include <math.h>

enum { PENDING = 256, WATCHED = 128 };

/* Of what was chosen `sample` and its reservoir are known; of other messages, RESERVOIR_NONE, what
 * they were. Those take no lock: with a second thread in MPI messages are not sampled any more, and
 * one that is garbled until then finds no partner. */
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

/* The pending requests among those of the call at hand: where they lie in its array, and here. */
static __thread struct {
    uint32_t index, slot;
} watched[WATCHED] __attribute__((tls_model("initial-exec")));
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
    __atomic_store_n(&pending[slot].request, (uintptr_t)request, __ATOMIC_RELEASE);
    leave();
}

static void change_count(int by)
{
    __atomic_store_n(&pending_requests,
                     __atomic_load_n(&pending_requests, __ATOMIC_RELAXED) + (unsigned)by,
                     __ATOMIC_RELAXED);
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
    if (!place->request)
        change_count(1);
    else if (place->reservoir != RESERVOIR_NONE)
        return;
    place->reservoir = RESERVOIR_NONE;
    place->stays = how & POSTED_STAYS;
    place->posted = (struct posted){ .salt = communicator->salt,
                                     .number = sends ? other->sent : other->received,
                                     .post = block->begin,
                                     .exit = block->last,
                                     .other = other->world,
                                     .tag = tag,
                                     .sends = sends };
    __atomic_store_n(&place->request, (uintptr_t)request, __ATOMIC_RELEASE);
}

int pending_watch(int count, const MPI_Request *requests)
{
    watching = 0;
    for (int i = 0; i < count && watching < WATCHED; i++) {
        unsigned slot = slot_of((uintptr_t)requests[i]);
        if (requests[i] != MPI_REQUEST_NULL &&
            __atomic_load_n(&pending[slot].request, __ATOMIC_ACQUIRE) == (uintptr_t)requests[i]) {
            watched[watching].index = (uint32_t)i;
            watched[watching++].slot = slot;
        }
    }
    return any_source_watch(count, requests) + watching;
}

static void finish(const struct block *block, unsigned operation, unsigned slot)
{
    struct sample *sample = &pending[slot].sample;
    sample->gap = sample->exit >= sample->post
                      ? (float)(sample->exit - sample->post)
                      : INFINITY; /* until now these were the times of the call that posted */
    sample->enter = block->begin;
    sample->exit = block->last;
    sample->event = (uint32_t)event_key(operation, CLASS_NONE, 0, 0);
    sample->communicator = 0;
    sample->role |= ROLE_SHARED;
    sample_add(&record->reservoirs[pending[slot].reservoir], record->samples, sample);
    __atomic_store_n(&pending[slot].request, 0, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&pending_requests, 1, __ATOMIC_RELAXED);
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

/* Those that were not chosen: kept if the call was a long one. Returns how many were. */
static int finish_others(const struct block *block, unsigned operation, const MPI_Request *requests,
                         int done, const int *indices, struct sample *last)
{
    const int is_long = event_is_long(block);
    int chosen = 0;
    pending_remembers |= is_long;
    for (int i = 0; i < watching; i++) {
        struct pending *place = &pending[watched[i].slot];
        if (place->reservoir != RESERVOIR_NONE) {
            chosen++;
        } else if (place->request &&
                   is_over(watched[i].slot, watched[i].index, requests, done, indices)) {
            if (is_long)
                sample_completed_late(&place->posted, operation, block->begin, block->last, last);
            place->request = 0;
            change_count(-1);
        }
    }
    return chosen;
}

static void finish_chosen(const struct block *block, unsigned operation,
                          const MPI_Request *requests, int done, const int *indices,
                          struct sample *last, uint64_t *reservoir)
{
    for (int i = 0; i < watching; i++) {
        const struct pending *place = &pending[watched[i].slot];
        if (place->request && place->reservoir != RESERVOIR_NONE &&
            is_over(watched[i].slot, watched[i].index, requests, done, indices)) {
            finish(block, operation, watched[i].slot);
            *last = place->sample;
            *reservoir = place->reservoir;
        }
    }
}

void pending_done(struct block *block, unsigned operation, const MPI_Request *requests, int done,
                  const int *indices)
{
    if (!record)
        return;
    struct sample last = { .exit = 0 };
    uint64_t reservoir = RESERVOIR_MESSAGES;
    any_source_done(block, operation, requests, done, indices, &last);
    if (finish_others(block, operation, requests, done, indices, &last) && take()) {
        finish_chosen(block, operation, requests, done, indices, &last, &reservoir);
        leave();
    }
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
