/* The shared second half of the wrappers: one copy of each, so that they stay in the instruction cache. */
#include "calls.h"
#include "requests.h"

void call_count(struct block *block, unsigned operation, const void *caller, uint64_t begin, uint64_t end, unsigned class)
{
    event_count(block, caller_site(caller), event_key(operation, class, -1, 0), 0, begin, end);
    current = block;
}

void call_count_data(struct block *block, unsigned operation, const void *caller, uint64_t begin, uint64_t end, unsigned class,
                     int64_t bytes)
{
    uint64_t payload = bytes < 0 ? 0 : (uint64_t)bytes;
    event_count(block, caller_site(caller), event_key(operation, class, bytes < 0 ? -1 : bin_of(payload), 0), payload, begin, end);
    current = block;
}

void call_count_collective(struct block *block, unsigned operation, const void *caller, uint64_t begin, uint64_t end,
                           struct communicator *communicator, int64_t bytes)
{
    uint64_t payload = bytes < 0 ? 0 : (uint64_t)bytes;
    uint64_t key = event_key(operation, communicator->class, bytes < 0 ? -1 : bin_of(payload), communicator->row);
    event_count(block, caller_site(caller), key, payload, begin, end);
    current = block;
}

void call_count_message(struct block *block, unsigned operation, const void *caller, uint64_t begin, uint64_t end,
                        struct communicator *communicator, int peer, int64_t bytes, int sends)
{
    struct path path = path_to(communicator, peer);
    if (unlikely(path.class == CLASS_NONE))
        bytes = -1;
    uint64_t payload = bytes < 0 ? 0 : (uint64_t)bytes;
    uint64_t key = event_key(operation, path.class, bytes < 0 ? -1 : bin_of(payload), 0);
    event_count(block, caller_site(caller), key, payload, begin, end);
    if (sends && bytes >= 0)
        peer_count(block, path.world, path.class, payload);
    current = block;
}

/* One call, one row: its class is that of the first request, its payload that of all. */
void call_count_start(struct block *block, unsigned operation, const void *caller, uint64_t begin, uint64_t end, int count,
                      MPI_Request *requests)
{
    struct persistent first = { -1, CLASS_NONE, -1 };
    int64_t bytes = -1;
    for (int i = 0; i < count; i++) {
        struct persistent started = persistent_of(requests[i]);
        if (!i)
            first = started;
        if (started.bytes < 0)
            continue;
        bytes = (bytes < 0 ? 0 : bytes) + started.bytes;
        if (started.world >= 0)
            peer_count(block, started.world, started.class, (uint64_t)started.bytes);
    }
    call_count_data(block, operation, caller, begin, end, first.class, bytes);
}
