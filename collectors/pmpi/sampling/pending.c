/* Requests whose completion is to be timed. What finds its place taken is not: a sample less. */
#define _GNU_SOURCE
#include "sampling.h"
#include "any_source.h"
#include "events.h"
#include "backtrace.h"
#include <math.h>

enum { PENDING = 256, WATCHED = 128 };

static struct {
    uintptr_t request;
    uint32_t reservoir;
    int stays;
    struct sample sample;
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

void pending_done(struct block *block, unsigned operation, const MPI_Request *requests, int done,
                  const int *indices)
{
    if (!record)
        return;
    struct sample last = { .exit = 0 };
    uint64_t reservoir = RESERVOIR_MESSAGES;
    any_source_done(block, operation, requests, done, indices, &last);
    if (!take())
        return;
    for (int i = 0; i < watching; i++)
        if (pending[watched[i].slot].request &&
            is_over(watched[i].slot, watched[i].index, requests, done, indices)) {
            finish(block, operation, watched[i].slot);
            last = pending[watched[i].slot].sample;
            reservoir = pending[watched[i].slot].reservoir;
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
