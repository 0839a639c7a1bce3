/* One MPI call, from its start to its end and to the last outcome of the operations in it. */
#include "stream.h"
#include <string.h>

enum { NO_SIZE = 1, FIRST_BIN = 2 }; /* bins are kept plus 2: 1 is "carries no data" */

static void gap_add(struct stream *stream, uint32_t region, uint64_t ticks)
{
    uint32_t i = 0;
    while (i < stream->gap_count && stream->gaps[i].region != region)
        i++;
    if (i == stream->gap_room) {
        stream->gap_room = 2 * stream->gap_room + 8;
        stream->gaps = xrealloc(stream->gaps, stream->gap_room, sizeof *stream->gaps);
    }
    if (i == stream->gap_count)
        stream->gaps[stream->gap_count++] = (struct gap){ 0, region };
    stream->gaps[i].ticks += ticks;
}

void region_time(struct stream *stream, uint64_t time)
{
    if (time > stream->mark)
        gap_add(stream, stream->depth ? stream->stack[stream->depth - 1] + 1 : 0,
                time - stream->mark);
    stream->mark = time;
}

__attribute__((noinline)) OTF2_CallbackCode put_down_gaps(struct stream *stream)
{
    for (uint32_t i = 0; i < stream->gap_count; i++)
        steps_add_gap(stream->trail, &stream->gaps[i], stream->time);
    stream->steps += stream->gap_count;
    stream->gap_count = 0;
    return OTF2_CALLBACK_SUCCESS;
}

void end_trail(struct stream *stream)
{
    if (!stream->mpi_depth)
        region_time(stream, stream->time);
    if (stream->gap_count > 1 || (stream->gap_count && stream->gaps[0].region))
        put_down_gaps(stream);
    steps_add(stream->trail, NO_ROW, stream->time, stream->time);
}

COLD void life_begins(struct stream *stream)
{
    struct rank *rank = stream->rank;
    if (stream->call->begins && !rank->init_begin)
        rank->init_begin = stream->time;
    if (stream->call->ends && !rank->finalize_begin)
        rank->finalize_begin = stream->time;
    if (stream->call->ends)
        marked_end(stream, stream->time);
}

static COLD void life_ends(struct stream *stream, uint64_t time)
{
    if (stream->call->begins && !stream->rank->init_end) {
        stream->rank->init_end = time;
        metered_begin(stream, time);
    }
    if (stream->call->ends) {
        stream->rank->finalize_end = time;
        stream->rank->state = 2;
    }
}

static COLD void widen_parts(struct stream *stream)
{
    stream->part_room = 2 * stream->part_room + 16;
    stream->parts = xrealloc(stream->parts, stream->part_room, sizeof *stream->parts);
}

struct part *part_add(struct stream *stream)
{
    if (UNLIKELY(stream->part_count == stream->part_room))
        widen_parts(stream);
    return &stream->parts[stream->part_count++];
}

static unsigned bin_of(const struct stream *stream)
{
    if (!stream->has_size)
        return stream->call->carries ? 0 : NO_SIZE;
    return FIRST_BIN + (stream->bytes ? 64u - (unsigned)__builtin_clzll(stream->bytes) : 0);
}

/* Threads that called MPI are counted. */
static void call_first(struct stream *stream)
{
    stream->rank->threads += !stream->called;
    stream->called = 1;
}

static __attribute__((noinline)) uint32_t row_found(struct stream *stream, uint64_t key,
                                                    uint32_t caller)
{
    const uint32_t number = row_number(stream->rank, key, caller);
    call_first(stream);
    if (!stream->rank->overflowed) /* else each time is counted */
        stream->recent[key & (RECENT_ROWS - 1)] = (struct recent){ key, caller, number + 1 };
    return number;
}

static uint32_t row_of(struct stream *stream, uint64_t key, uint32_t caller)
{
    const struct recent *recent = &stream->recent[key & (RECENT_ROWS - 1)];
    return LIKELY(recent->key == key && recent->caller == caller && recent->row)
               ? recent->row - 1
               : row_found(stream, key, caller);
}

static void count_marked(struct stream *stream, uint64_t duration)
{
    struct marked *marked = &stream->rank->marked[stream->marked - 1];
    marked->kinds[stream->call->slice] += duration;
    marked->calls++;
    marked->bytes += stream->bytes;
}

/* `judged`: what it waited can be known; `is_known`: it is, namely nothing. */
static uint32_t count_call(struct stream *stream, uint64_t exit, int judged, int is_known)
{
    const uint64_t duration = exit - stream->enter;
    const uint64_t key = key_of_operation((uint64_t)stream->call->operation) |
                         key_of_class(stream->class) | key_of_size_bin(bin_of(stream)) |
                         key_of_communicator(stream->communicator);
    const uint32_t number = row_of(stream, key, caller_of(stream));
    struct row *row = &stream->rank->rows[number];
    row->count++;
    row->bytes += stream->bytes;
    row->time += duration;
    row->shortest = duration < row->shortest ? duration : row->shortest;
    row->longest = duration > row->longest ? duration : row->longest;
    if (judged) {
        row->judged++;
        row->judged_time += duration;
    }
    if (is_known) {
        row->known++;
        row->duration += duration;
    }
    stream->rank->events++;
    slice_call(stream, exit, is_known);
    if (stream->marked)
        count_marked(stream, duration);
    return number;
}

struct arrival *stream_send(struct stream *stream, uint64_t key)
{
    struct worker *worker = stream->worker;
    return arrivals_add(&worker->to[(key >> 48) * worker->shards >> 16]);
}

/* What comes next in order is numbered and goes on its way. */
void release(struct stream *stream, struct queue *queue)
{
    for (struct waiting *oldest = queue_take(queue); oldest; oldest = queue_take(queue))
        if (oldest->state == WAITING_READY) {
            /* Messages to itself: both ends are counted by the same rank, each for its own. */
            uint64_t counter = oldest->counter ^ (queue == &stream->own->receives);
            oldest->arrival.key = key_of(oldest->counter, count_next(stream->own, counter));
            *stream_send(stream, oldest->arrival.key) = oldest->arrival;
        }
}

/* Where it is to be put; NULL: it is no longer waited for. */
static struct arrival *queue_part(struct stream *stream, const struct part *part)
{
    struct own *own = stream->own;
    struct queue *queue = part->kind == PART_COLLECTIVE ? &own->collectives : &own->receives;
    const uint32_t number = part->kind == PART_RECEIVE ? queue_add(queue) : part->number;
    struct waiting *open = queue_at(queue, number);
    if (!open)
        return NULL;
    open->counter = part->counter;
    open->state = WAITING_READY;
    return &open->arrival;
}

static void send_parts(struct stream *stream, uint32_t call, uint64_t exit)
{
    for (size_t i = 0; i < stream->part_count; i++) {
        const struct part *part = &stream->parts[i];
        struct arrival *to = part->kind == PART_AT_ONCE ? stream_send(stream, part->arrival.key)
                                                        : queue_part(stream, part);
        if (!to)
            continue;
        *to = part->arrival;
        to->enter = stream->enter;
        to->exit = exit;
        to->call = call;
    }
    if (stream->own->receives.count)
        release(stream, &stream->own->receives);
    if (stream->own->collectives.count)
        release(stream, &stream->own->collectives);
}

/* Its step, and its place among those that wait for their partners' times. */
static uint32_t put_down(struct stream *stream, uint32_t row, uint64_t exit, int waits)
{
    struct trail *trail = stream->trail;
    uint32_t number = NO_CALL;
    stream->steps++;
    if (!waits) {
        if (trail && LIKELY(row != NO_ROW))
            steps_add(trail, row, stream->enter, exit);
        else if (trail) /* start and end have no row that tells where they are called */
            steps_add_wait(trail, row, stream->enter, exit, (int32_t)caller_of(stream));
        return number;
    }
    struct slot *step = trail ? steps_add_wait(trail, row, stream->enter, exit, NONE) : NULL;
    struct call *call = journal_add(stream, &number);
    call->enter = stream->enter;
    call->exit = exit;
    call->late = 0;
    call->sent = UINT64_MAX;
    call->step = step;
    call->chunk = trail ? trail->chunk : NULL;
    call->row = row;
    call->left = (uint32_t)stream->part_count;
    call->at = stream->steps;
    call->who = NONE;
    call->class = 0;
    if (trail)
        call->chunk->open++;
    return number;
}

/* With a part that cannot be matched, the wait of the call stays unknown; its partners are answered
 * all the same. */
__attribute__((noinline)) OTF2_CallbackCode call_end(struct stream *stream, uint64_t time)
{
    const struct region *region = stream->call;
    const int counts = region->kind != KIND_LIFECYCLE,
              nobody = region->kind >= KIND_POST || stream->alone,
              waits = counts && stream->part_count && !stream->lost;
    if (UNLIKELY(time < stream->enter)) {
        stream->rank->faults++;
        time = stream->enter;
    }
    if (UNLIKELY(region->begins || region->ends))
        life_ends(stream, time);
    if (UNLIKELY(!counts))
        call_first(stream);
    if (region->kind == KIND_TEST && stream->has_asked && stream->enter > stream->ended)
        stream->rank->between_polls += stream->enter - stream->ended;
    stream->has_asked = region->kind == KIND_TEST && !stream->part_count;
    const uint32_t row =
        LIKELY(counts) ? count_call(stream, time, stream->part_count || stream->lost || nobody,
                                    !stream->part_count && !stream->lost && nobody)
                       : NO_ROW;
    const uint32_t call = put_down(stream, row, time, waits);
    if (stream->part_count)
        send_parts(stream, call, time);
    if (UNLIKELY(region->marks && stream->has_level))
        marked_level(stream, stream->level, time);
    stream->call = NULL;
    stream->mpi_depth = 0;
    stream->mark = stream->ended = time;
    stream->depth--;
    return OTF2_CALLBACK_SUCCESS;
}
