/* The shared second half of the wrappers: one copy of each, so that they stay in the instruction cache. */
#include "calls.h"
#include "requests.h"

/* The rare case, kept out of the leaf functions below. */
static __attribute__((noinline)) void count_above_layer(struct block *block, const void *caller, uint64_t key, uint64_t bytes)
{
    uint64_t site = caller_above_layer(caller, (unsigned)key & 0xFFFF);
    if (site)
        event_count(block, site, key, bytes);
    else
        current = block;
}

static inline __attribute__((always_inline)) void count(struct block *block, const void *caller, uint64_t key, int64_t bytes)
{
    if (unlikely(bytes < 0))
        bytes = 0;
    else
        key |= (uint64_t)bin_number((uint64_t)bytes) << 24;
    uint64_t site = caller_address(caller);
    if (unlikely(site - layer_low < layer_size))
        count_above_layer(block, caller, key, (uint64_t)bytes);
    else
        event_count(block, site, key, (uint64_t)bytes);
}

void call_count(struct block *block, unsigned operation, const void *caller, unsigned class)
{
    count(block, caller, event_key(operation, class, 0, 0), -1);
}

void call_count_data(struct block *block, unsigned operation, const void *caller, unsigned class, int64_t bytes)
{
    count(block, caller, event_key(operation, class, 0, 0), bytes);
}

void call_count_collective(struct block *block, unsigned operation, const void *caller, struct communicator *communicator, int64_t bytes)
{
    count(block, caller, communicator->key | operation, bytes);
}

void call_count_received(struct block *block, unsigned operation, const void *caller, struct communicator *communicator, int peer)
{
    count(block, caller, event_key(operation, path_to(communicator, peer).class, 0, 0), -1);
}

/* A message to MPI_PROC_NULL is none. */
void call_count_sent(struct block *block, unsigned operation, const void *caller, struct communicator *communicator, int peer, int64_t bytes)
{
    struct path path = path_to(communicator, peer);
    if (unlikely(path.class == CLASS_NONE)) {
        call_count(block, operation, caller, CLASS_NONE);
        return;
    }
    peer_count(block, path.world, path.class, (uint64_t)bytes);
    count(block, caller, event_key(operation, path.class, 0, 0), bytes);
}

/* One call, one row: its class is that of the first request, its payload that of all. */
void call_count_start(struct block *block, unsigned operation, const void *caller, int number, MPI_Request *requests)
{
    struct persistent first = { -1, CLASS_NONE, -1 };
    int64_t bytes = -1;
    for (int i = 0; i < number; i++) {
        struct persistent started = persistent_of(requests[i]);
        if (!i)
            first = started;
        if (started.bytes < 0)
            continue;
        bytes = (bytes < 0 ? 0 : bytes) + started.bytes;
        if (started.world >= 0)
            peer_count(block, started.world, started.class, (uint64_t)started.bytes);
    }
    call_count_data(block, operation, caller, first.class, bytes);
}
