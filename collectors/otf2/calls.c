/* One MPI call, from its beginning to its end and to the last outcome of what it took part in. */
#include "stream.h"
#include <string.h>

enum { NO_SIZE = 1, FIRST_BIN = 2 };     /* bins are kept plus 2: 1 is "carries no data" */

void call_begin(struct stream *stream, const struct region *region, uint64_t time)
{
    stream->mpi_depth = stream->depth;
    stream->call = region;
    stream->enter = time;
    stream->bytes = stream->communicator = 0;
    stream->class = CLASS_NONE;
    stream->has_size = stream->lost = stream->alone = 0;
    stream->part_count = 0;
    stream->own->rank->threads += !stream->called;
    stream->called = 1;
    if (region->begins && !stream->own->rank->init_begin)
        stream->own->rank->init_begin = time;
    if (region->ends && !stream->own->rank->finalize_begin)
        stream->own->rank->finalize_begin = time;
}

void part_add(struct stream *stream, const struct part *part)
{
    if (stream->part_count == stream->part_room) {
        stream->part_room = 2 * stream->part_room + 16;
        stream->parts = room_for(stream->parts, stream->part_room, sizeof *part);
    }
    stream->parts[stream->part_count++] = *part;
}

static unsigned bin_of(const struct stream *stream)
{
    if (!stream->has_size)
        return stream->call->carries ? 0 : NO_SIZE;
    return FIRST_BIN + (stream->bytes ? 64u - (unsigned)__builtin_clzll(stream->bytes) : 0);
}

static uint32_t count_call(struct stream *stream, uint64_t duration)
{
    const uint64_t key = (uint64_t)stream->call->operation | (uint64_t)stream->class << 16 | (uint64_t)bin_of(stream) << 24
        | (uint64_t)stream->communicator << 32;
    const uint64_t caller = stream->mpi_depth > 1 ? stream->stack[stream->mpi_depth - 2] + 1ull : 0;
    const uint32_t number = row_number(stream->own->rank, key, caller);
    struct row *row = &stream->own->rank->rows[number];
    row->count++;
    row->bytes += stream->bytes;
    row->time += duration;
    row->shortest = duration < row->shortest ? duration : row->shortest;
    row->longest = duration > row->longest ? duration : row->longest;
    stream->own->rank->events++;
    return number;
}

static uint32_t pending_add(struct stream *stream, uint32_t row, uint64_t duration)
{
    uint32_t at = stream->pending_free ? stream->pending_free - 1 : stream->pending_count;
    if (stream->pending_free)
        stream->pending_free = stream->pending[at].next;
    else if (stream->pending_count++ == stream->pending_room) {
        stream->pending_room = 2 * stream->pending_room + 64;
        stream->pending = room_for(stream->pending, stream->pending_room, sizeof *stream->pending);
    }
    stream->pending[at] = (struct pending){ .duration = duration, .row = row, .left = (uint32_t)stream->part_count, .who = NONE };
    return at;
}

void stream_send(struct stream *stream, struct arrival *arrival)
{
    struct worker *worker = stream->worker;
    arrival->key = mixed(arrival->key);
    arrivals_add(&worker->to[(arrival->key >> 48) % worker->shards], arrival);
}

/* What comes next in order is numbered and goes on its way. */
void release(struct stream *stream, struct queue *queue)
{
    for (struct waiting *oldest = queue_take(queue); oldest; oldest = queue_take(queue))
        if (oldest->state == WAITING_READY) {
            /* Messages to itself: both ends are counted by the same rank, each for its own. */
            uint64_t counter = oldest->counter ^ (queue == &stream->own->receives);
            oldest->arrival.key = oldest->counter + mixed(count_next(stream->own, counter));
            stream_send(stream, &oldest->arrival);
        }
}

static void queue_part(struct stream *stream, const struct part *part)
{
    struct own *own = stream->own;
    struct queue *queue = part->kind == PART_COLLECTIVE ? &own->collectives : &own->receives;
    struct waiting ready = { part->arrival, part->counter, WAITING_READY }, *open = part->kind == PART_RECEIVE ? NULL : queue_at(queue, part->number);
    if (part->kind == PART_RECEIVE)
        queue_add(queue, &ready);
    else if (open)
        *open = ready;
}

static void send_parts(struct stream *stream, uint32_t row, uint64_t exit)
{
    /* With a part that cannot be matched, the wait of the call stays unknown; its partners are answered all the same. */
    uint32_t call = stream->lost ? NO_CALL : pending_add(stream, row, exit - stream->enter);
    for (size_t i = 0; i < stream->part_count; i++) {
        struct part *part = &stream->parts[i];
        part->arrival.enter = stream->enter;
        part->arrival.exit = exit;
        part->arrival.call = call;
        if (part->kind == PART_AT_ONCE)
            stream_send(stream, &part->arrival);
        else
            queue_part(stream, part);
    }
    release(stream, &stream->own->receives);
    release(stream, &stream->own->collectives);
}

static void judge(struct stream *stream, uint32_t number, uint64_t exit)
{
    struct row *row = &stream->own->rank->rows[number];
    const uint64_t duration = exit - stream->enter;
    const int nobody = stream->call->kind == KIND_POST || stream->call->kind == KIND_TEST || stream->alone;
    if (!stream->part_count && !stream->lost && !nobody)
        return;
    row->judged++;
    row->judged_time += duration;
    if (stream->part_count)
        send_parts(stream, number, exit);
    else if (!stream->lost) {
        row->known++;
        row->duration += duration;
    }
}

void call_end(struct stream *stream, uint64_t time)
{
    struct rank *rank = stream->own->rank;
    rank->faults += time < stream->enter;
    time = time < stream->enter ? stream->enter : time;
    if (stream->call->begins && !rank->init_end)
        rank->init_end = time;
    if (stream->call->ends) {
        rank->finalize_end = time;
        rank->state = 2;
    }
    if (stream->call->kind != KIND_LIFECYCLE)
        judge(stream, count_call(stream, time - stream->enter), time);
    stream->call = NULL;
    stream->mpi_depth = 0;
}

void stream_answer(struct stream *stream, const struct outcome *outcome)
{
    struct rank *rank = stream->own->rank;
    rank->late[outcome->class].instances += outcome->posted;
    rank->late[outcome->class].last += outcome->posted && outcome->last;
    if (outcome->call == NO_CALL)
        return;
    struct pending *pending = &stream->pending[outcome->call];
    if (outcome->wait > pending->wait) {
        pending->wait = outcome->wait;
        pending->who = outcome->who;
        pending->class = outcome->class;
    }
    if (--pending->left)
        return;
    struct row *row = &rank->rows[pending->row];
    row->known++;
    row->duration += pending->duration;
    row->wait += pending->wait;
    if (pending->wait)
        stream->worker->caused[(size_t)pending->who * CLASSES + pending->class] += pending->wait;
    pending->next = stream->pending_free;
    stream->pending_free = outcome->call + 1;
}
