/* The shared second half of the wrappers: one copy of each, so that they stay in the instruction
 * cache. */
#include "calls.h"
#include "messages.h"
#include "persistent.h"

/* The rare case, kept out of the leaf functions below. */
static __attribute__((noinline)) void count_above_layer(struct block *block, const void *caller,
                                                        uint64_t key, uint64_t bytes)
{
    uint64_t site = caller_above_layer(caller, key_operation(key));
    if (site)
        event_count(block, site, key, bytes);
    else
        current = block;
}

static inline __attribute__((always_inline)) void count(struct block *block, const void *caller,
                                                        uint64_t key, int64_t bytes)
{
    if (unlikely(bytes < 0))
        bytes = 0;
    else
        key = sized_key(key, 0, (uint64_t)bytes);
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

/* A call that asked, and found nothing. */
void call_count_in_vain(struct block *block, unsigned operation, const void *caller)
{
    block->asked = block->last;
    call_count(block, operation, caller, CLASS_NOTHING);
}

void call_count_data(struct block *block, uint64_t operation, const void *caller, unsigned class,
                     int64_t bytes)
{
    count(block, caller, event_key(0, class, 0, 0) | operation, bytes);
}

/* `straight` holds the exit of the collective call before, on the way here. */
static __attribute__((noinline)) void collective_chosen(struct block *block, unsigned operation,
                                                        struct communicator *communicator,
                                                        int64_t bytes, int root, uint64_t chosen)
{
    const uint64_t before = block->straight;
    const uint32_t operation_before =
        __atomic_exchange_n(&communicator->last_operation, bytes ? operation : 0, __ATOMIC_RELAXED);
    block->straight = before == block->previous ? operation_before : 0;
    sample_collective(block, operation, communicator, bytes, root, chosen,
                      sample_cycle(block->last - before));
}

void call_count_collective(struct block *block, uint64_t operation, const void *caller,
                           struct communicator *communicator, int64_t bytes, int root)
{
    count(block, caller, communicator->key | operation, bytes);
    uint64_t chosen = sample_next(&communicator->state), last = block->last,
             before = __atomic_load_n(&communicator->last_exit, __ATOMIC_RELAXED);
    unsigned cycle = sample_cycle(last - before);
    __atomic_store_n(&communicator->last_exit, last, __ATOMIC_RELAXED);
    if (unlikely(sample_is_kept(communicator->collectives, chosen, cycle))) {
        block->straight = before;
        collective_chosen(block, operation, communicator, bytes, root, chosen);
        return;
    }
    if (unlikely(!bytes))
        __asm__(
            ""
            : "=r"(operation)
            : "0"(0)); /* a jump that is never taken instead of two instructions for every call */
    __atomic_store_n(&communicator->last_operation, operation, __ATOMIC_RELAXED);
}

void call_count_probed(struct block *block, uint64_t operation, const void *caller,
                       struct communicator *communicator, int peer)
{
    count(block, caller, event_key(0, path_to(communicator, peer).class, 0, 0) | operation, -1);
}

/* The exit of a call, marked with its operation: one comparison tells whether the call before was
 * the same. */
static inline uint64_t message_mark(uint64_t exit, unsigned operation)
{
    return exit ^ (uint64_t)operation << 52;
}

/* One message further; is it to be sampled? `behind`: it may be so for another reason than its
 * number. */
static inline __attribute__((always_inline)) int is_chosen(struct block *block, uint64_t operation,
                                                           uint64_t *number, uint64_t *exit,
                                                           uint64_t threshold, int behind)
{
    const uint64_t before = __atomic_load_n(exit, __ATOMIC_RELAXED);
    __atomic_store_n(exit, message_mark(block->last, operation), __ATOMIC_RELAXED);
    const uint64_t firsts =
        behind && event_is_first_behind(block, before) ? FIRST_SENT | FIRST_RECEIVED : 0;
    if (__builtin_expect(sample_next(number) >= threshold && !firsts, 1))
        return 0;
    block->firsts = firsts;
    block->straight = before == message_mark(block->previous, operation) ? (unsigned)operation : 0;
    return 1;
}

static __attribute__((noinline)) int received_slow(struct block *block, uint64_t operation,
                                                   const void *caller,
                                                   struct communicator *communicator, int peer)
{
    struct known_peer *from = known_peer(communicator, peer);
    count(block, caller, from->key | operation, -1);
    return is_chosen(block, operation, &from->received, &from->received_exit,
                     message_threshold(communicator), 1);
}

int call_count_received(struct block *block, uint64_t operation, const void *caller,
                        struct communicator *communicator, int peer)
{
    if (unlikely(peer < 0)) {
        call_count_probed(block, operation, caller, communicator, peer);
        return peer == MPI_ANY_SOURCE;
    }
    struct known_peer *from = count_received(block, operation, caller, communicator, peer);
    if (unlikely(!from))
        return received_slow(block, operation, caller, communicator, peer);
    return is_chosen(block, operation, &from->received, &from->received_exit,
                     message_threshold(communicator), 0);
}

/* The whole of it, where something is new or odd. A message to MPI_PROC_NULL is none. Returns the
 * peer. */
static __attribute__((noinline)) struct known_peer *
count_sent_slow(struct block *block, uint64_t operation, const void *caller,
                struct communicator *communicator, int peer, int64_t bytes)
{
    if (peer < 0) {
        call_count(block, operation, caller, CLASS_NONE);
        return NULL;
    }
    struct known_peer *to = known_peer(communicator, peer);
    peer_count(block, to->world - peer_name(0), key_class(to->key),
               bytes < 0 ? 0 : (uint64_t)bytes);
    count(block, caller, to->key | operation, bytes);
    return to;
}

static __attribute__((noinline)) int sent_slow(struct block *block, uint64_t operation,
                                               const void *caller,
                                               struct communicator *communicator, int peer,
                                               int64_t bytes)
{
    struct known_peer *to = count_sent_slow(block, operation, caller, communicator, peer, bytes);
    return to && is_chosen(block, operation, &to->sent, &to->sent_exit,
                           message_threshold(communicator), 1);
}

/* Exchanges do not say when they were but here. */
static int is_half_chosen(struct block *block, uint64_t *number, uint64_t *exit, uint64_t threshold,
                          unsigned half)
{
    const int first = event_is_first_behind(block, *exit);
    if (first) {
        *exit = block->last;
        block->firsts |= half;
    }
    return (sample_next(number) < threshold) | first;
}

/* Without a status nobody knows from whom a message came that anybody might have sent. */
int call_count_exchanged_slow(struct block *block, uint64_t operation, const void *caller,
                              struct communicator *communicator, int peer, int64_t bytes,
                              int source, const MPI_Status *status)
{
    const uint64_t threshold = message_threshold(communicator);
    struct known_peer *to = count_sent_slow(block, operation, caller, communicator, peer, bytes),
                      *from;
    block->firsts = 0;
    int chosen = to && is_half_chosen(block, &to->sent, &to->sent_exit, threshold, FIRST_SENT);
    source = received_from(source, status);
    if (source == MPI_ANY_SOURCE) {
        sampling_stop_messages(communicator, UNSAMPLED_ANY_SOURCE);
    } else if (source >= 0) {
        from = known_peer(communicator, source);
        chosen |=
            is_half_chosen(block, &from->received, &from->received_exit, threshold, FIRST_RECEIVED);
    }
    return chosen;
}

int call_count_sent(struct block *block, uint64_t operation, const void *caller,
                    struct communicator *communicator, int peer, int64_t bytes)
{
    struct known_peer *to = count_sent(block, operation, caller, communicator, peer, bytes);
    if (unlikely(!to))
        return sent_slow(block, operation, caller, communicator, peer, bytes);
    return is_chosen(block, operation, &to->sent, &to->sent_exit, message_threshold(communicator),
                     0);
}

/* A message that is started is numbered like any other. */
static inline __attribute__((always_inline)) void
start(struct block *block, unsigned operation, struct persistent *started, MPI_Request request)
{
    if (unlikely(started->kind == PERSISTENT_COLLECTIVE)) {
        persistent_collective_started(block, started, request);
        return;
    }
    if (started->kind == PERSISTENT_OTHER) {
        if (started->world >= 0)
            peer_count(block, started->world, started->class, (uint64_t)started->bytes);
        return;
    }
    struct known_peer *peer = known_peer(started->communicator, started->peer);
    uint64_t *numbers = &peer->received;
    if (started->kind == PERSISTENT_SEND) {
        struct peer_row *row = (struct peer_row *)((char *)block + peer->place);
        numbers = &peer->sent;
        if (unlikely(row->peer != peer->world)) {
            peer_count(block, started->world, started->class, (uint64_t)started->bytes);
        } else {
            row->messages++;
            row->bytes += (uint64_t)started->bytes;
        }
    }
    if (unlikely(sample_next(numbers) < message_threshold(started->communicator)))
        persistent_message_chosen(block, operation, started, request);
    else if (__atomic_load_n(&pending_remembers, __ATOMIC_RELAXED))
        pending_posted(block, started->communicator, started->peer, started->tag, request,
                       POSTED_STAYS | (started->kind == PERSISTENT_SEND ? POSTED_SEND : 0));
}

/* One call, one row: its class is that of the first request, its handling that of the first that
 * has one, its payload that of all. */
void call_count_start(struct block *block, unsigned operation, const void *caller, int number,
                      MPI_Request *requests)
{
    unsigned class = CLASS_NONE;
    uint64_t handling = 0;
    int64_t bytes = -1;
    for (int i = 0; i < number; i++) {
        struct persistent *started = persistent_find(requests[i]);
        if (!started)
            continue;
        if (!i)
            class = started->class;
        if (!handling)
            handling = started->handling;
        start(block, operation, started, requests[i]);
        if (started->bytes >= 0)
            bytes = (bytes < 0 ? 0 : bytes) + started->bytes;
    }
    call_count_data(block, operation | handling, caller, class, bytes);
}
