/* The tables that grow while events are read. */
#include "stream.h"
#include <stdlib.h>
#include <string.h>

/* Kinds of calls of a rank that are kept apart; then callers and communicators overflow, at last
 * all. */
enum { MOST_ROWS = 1 << 14, MOST_WAITING = 1 << 16 };

static uint32_t row_place(const struct rank *rank, uint64_t key, uint64_t caller)
{
    uint32_t mask = (uint32_t)rank->row_room - 1,
             at = (uint32_t)mixed(key ^ caller << 40 ^ caller >> 24) & mask;
    while (rank->row_index[at] && (rank->rows[rank->row_index[at] - 1].key != key ||
                                   rank->rows[rank->row_index[at] - 1].caller != caller))
        at = (at + 1) & mask;
    return at;
}

static COLD void widen_rows(struct rank *rank)
{
    rank->row_room = rank->row_room ? 2 * rank->row_room : 64;
    rank->rows = xrealloc(rank->rows, rank->row_room / 2 + 1, sizeof *rank->rows);
    rank->row_index = xrealloc(rank->row_index, rank->row_room, sizeof *rank->row_index);
    memset(rank->row_index, 0, rank->row_room * sizeof *rank->row_index);
    for (size_t i = 0; i < rank->row_count; i++)
        rank->row_index[row_place(rank, rank->rows[i].key, rank->rows[i].caller)] = (uint32_t)i + 1;
}

uint32_t row_number(struct rank *rank, uint64_t key, uint64_t caller)
{
    if (UNLIKELY(2 * rank->row_count >= rank->row_room))
        widen_rows(rank);
    uint32_t at = row_place(rank, key, caller);
    if (rank->row_index[at])
        return rank->row_index[at] - 1;
    if (rank->row_count >= MOST_ROWS && (caller || key_communicator(key))) {
        rank->overflowed++;
        return row_number(rank, key & (key_of_communicator(1) - 1), 0);
    }
    rank->rows[rank->row_count] =
        (struct row){ .key = key, .caller = caller, .shortest = UINT64_MAX };
    rank->row_index[at] = (uint32_t)++rank->row_count;
    return (uint32_t)rank->row_count - 1;
}

static size_t peer_place(const struct rank *rank, uint32_t peer, uint32_t path)
{
    size_t mask = rank->peer_room - 1, at = mixed((uint64_t)peer << 8 | path) & mask;
    while (rank->peers[at].messages &&
           (rank->peers[at].rank != peer || rank->peers[at].path != path))
        at = (at + 1) & mask;
    return at;
}

static COLD void widen_peers(struct rank *rank)
{
    struct peer *old = rank->peers;
    size_t room = rank->peer_room;
    rank->peer_room = room ? 2 * room : 16;
    rank->peers = xrealloc(NULL, rank->peer_room, sizeof *old);
    memset(rank->peers, 0, rank->peer_room * sizeof *old);
    for (size_t i = 0; i < room; i++)
        if (old[i].messages)
            rank->peers[peer_place(rank, old[i].rank, old[i].path)] = old[i];
    free(old);
}

void peer_add(struct rank *rank, uint32_t peer, unsigned path, uint64_t bytes)
{
    if (UNLIKELY(2 * rank->peer_count >= rank->peer_room))
        widen_peers(rank);
    struct peer *row = &rank->peers[peer_place(rank, peer, path)];
    rank->peer_count += !row->messages;
    row->rank = peer;
    row->path = path;
    row->messages++;
    row->bytes += bytes;
}

static size_t counter_place(const struct own *own, uint64_t key)
{
    size_t mask = own->counter_room - 1, at = key & mask;
    while (own->counters[at].count && own->counters[at].key != key)
        at = (at + 1) & mask;
    return at;
}

static COLD void widen_counters(struct own *own)
{
    struct counter *old = own->counters;
    size_t room = own->counter_room;
    own->counter_room = room ? 2 * room : 64;
    own->counters = xrealloc(NULL, own->counter_room, sizeof *old);
    memset(own->counters, 0, own->counter_room * sizeof *old);
    for (size_t i = 0; i < room; i++)
        if (old[i].count)
            own->counters[counter_place(own, old[i].key)] = old[i];
    free(old);
}

uint64_t count_next(struct own *own, uint64_t key)
{
    if (UNLIKELY(2 * own->counter_count >= own->counter_room))
        widen_counters(own);
    struct counter *counter = &own->counters[counter_place(own, key)];
    own->counter_count += !counter->count;
    counter->key = key;
    return counter->count++;
}

/* Requests are numbered on, or are addresses. */
static uint64_t spread(uint64_t id)
{
    return id * 0x9E3779B97F4A7C15ull >> 40;
}

static size_t request_place(const struct own *own, uint64_t id)
{
    size_t mask = own->request_room - 1, at = spread(id) & mask;
    while (own->requests[at].kind && own->requests[at].id != id)
        at = (at + 1) & mask;
    return at;
}

struct request *request_find(struct own *own, uint64_t id)
{
    struct request *request = own->request_room ? &own->requests[request_place(own, id)] : NULL;
    return request && request->kind ? request : NULL;
}

static COLD void widen_requests(struct own *own)
{
    struct request *old = own->requests;
    size_t room = own->request_room;
    own->request_room = room ? 2 * room : 64;
    own->requests = xrealloc(NULL, own->request_room, sizeof *old);
    memset(own->requests, 0, own->request_room * sizeof *old);
    for (size_t i = 0; i < room; i++)
        if (old[i].kind)
            own->requests[request_place(own, old[i].id)] = old[i];
    free(old);
}

/* An id that is still open is taken over: its request was released without a word. */
struct request *request_add(struct own *own, uint64_t id)
{
    if (UNLIKELY(2 * own->request_count >= own->request_room))
        widen_requests(own);
    struct request *request = &own->requests[request_place(own, id)];
    own->request_count += !request->kind;
    *request = (struct request){ .id = id };
    return request;
}

void request_remove(struct own *own, struct request *request)
{
    size_t mask = own->request_room - 1, at = (size_t)(request - own->requests), next = at;
    for (;;) {
        next = (next + 1) & mask;
        if (!own->requests[next].kind)
            break;
        if (((next - spread(own->requests[next].id)) & mask) < ((next - at) & mask))
            continue;
        own->requests[at] = own->requests[next];
        at = next;
    }
    own->requests[at].kind = REQUEST_FREE;
    own->request_count--;
}

static struct waiting *queue_row(struct queue *queue, uint32_t i)
{
    return &queue->rows[(queue->first + i) & (queue->room - 1)];
}

static COLD void widen_queue(struct queue *queue)
{
    struct queue wide = { xrealloc(NULL, 2 * queue->room + 16, sizeof *wide.rows), 0, queue->count,
                          queue->room ? 2 * queue->room : 16, queue->base };
    for (uint32_t i = 0; i < queue->count; i++)
        wide.rows[i] = *queue_row(queue, i);
    free(queue->rows);
    *queue = wide;
}

uint32_t queue_add(struct queue *queue)
{
    if (queue->count == MOST_WAITING) { /* the oldest is left behind: nobody will complete it */
        queue->first++;
        queue->base++;
        queue->count--;
    }
    if (UNLIKELY(queue->count == queue->room))
        widen_queue(queue);
    queue_row(queue, queue->count)->state = WAITING_OPEN;
    return queue->base + queue->count++;
}

struct waiting *queue_at(struct queue *queue, uint32_t number)
{
    return number - queue->base < queue->count ? queue_row(queue, number - queue->base) : NULL;
}

struct waiting *queue_take(struct queue *queue)
{
    struct waiting *oldest = queue->count ? queue_row(queue, 0) : NULL;
    if (!oldest || oldest->state == WAITING_OPEN)
        return NULL;
    queue->first++;
    queue->base++;
    queue->count--;
    return oldest;
}
