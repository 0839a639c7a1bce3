#include "window_locks.h"
#include "members.h"
#include <stdlib.h>

static uint64_t memory;

uint64_t window_locks_memory(void)
{
    return __atomic_load_n(&memory, __ATOMIC_RELAXED);
}
static size_t size_of(int size)
{
    return sizeof(struct window_locks) + (size_t)size * sizeof(struct held);
}

void window_locks_discard(struct window_locks *locks, int size)
{
    __atomic_sub_fetch(&memory, size_of(size), __ATOMIC_RELAXED);
    free(locks);
}

/* Pages of targets that are never locked are never touched. */
struct window_locks *window_locks_make(struct communicator *window)
{
    if (!window->salt || !record)
        return NULL;
    struct window_locks *made = calloc(1, size_of(window->size)), *none = NULL;
    if (!made)
        return NULL;
    made->key = members_mix(~window->salt) | 1;
    if (!__atomic_compare_exchange_n(&window->locks, &none, made, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        free(made);
        return none;
    }
    __atomic_add_fetch(&memory, size_of(window->size), __ATOMIC_RELAXED);
    return made;
}
