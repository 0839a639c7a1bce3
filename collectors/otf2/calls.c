/* One MPI call, from its beginning to its end and to the last outcome of what it took part in. */
#include "stream.h"
#include <string.h>

enum { NO_SIZE = 1, FIRST_BIN = 2 };     /* bins are kept plus 2: 1 is "carries no data" */

static uint32_t caller_of(const struct stream *stream) { return stream->mpi_depth > 1 ? stream->stack[stream->mpi_depth - 2] + 1 : stream->site; }

static void gap_add(struct stream *stream, uint32_t region, uint64_t ticks)
{
    uint32_t i = 0;
    while (i < stream->gap_count && stream->gaps[i].region != region)
        i++;
    if (i == stream->gap_room) {
        stream->gap_room = 2 * stream->gap_room + 8;
        stream->gaps = room_for(stream->gaps, stream->gap_room, sizeof *stream->gaps);
    }
    if (i == stream->gap_count)
        stream->gaps[stream->gap_count++] = (struct gap){ 0, region };
    stream->gaps[i].ticks += ticks;
}

void region_time(struct stream *stream, uint64_t time)
{
    const uint32_t region = stream->depth ? stream->stack[stream->depth - 1] + 1 : 0;
    if (time > stream->mark && stream->gap_count && stream->gaps[0].region == region)
        stream->gaps[0].ticks += time - stream->mark;
    else if (time > stream->mark)
        gap_add(stream, region, time - stream->mark);
    stream->mark = time;
}

/* Between calls a rank mostly is where it calls from: then that tells all. */
static void end_gap(struct stream *stream, uint32_t caller)
{
    const int is_plain = !stream->gap_count || (stream->gap_count == 1 && (stream->gaps[0].region == caller || !stream->gaps[0].region));
    for (uint32_t i = 0; i < stream->gap_count && !is_plain; i++)
        journal_add(stream, &(struct call){ .exit = stream->gaps[i].ticks, .row = stream->gaps[i].region, .kind = CALL_GAP });
    stream->gap_count = 0;
}

void end_trail(struct stream *stream)
{
    if (!stream->mpi_depth)
        region_time(stream, stream->time);
    end_gap(stream, 0);
    journal_add(stream, &(struct call){ .enter = stream->time, .exit = stream->time, .row = NO_ROW, .kind = CALL_COUNTED });
}

void call_begin(struct stream *stream, const struct region *region, uint64_t time)
{
    stream->mpi_depth = stream->depth;
    stream->call = region;
    stream->enter = time;
    stream->bytes = stream->communicator = 0;
    stream->class = CLASS_NONE;
    stream->has_size = stream->lost = stream->alone = stream->meets = 0;
    stream->part_count = 0;
    if (stream->trail) {
        stream->depth--;              /* the call itself is on top */
        region_time(stream, time);
        stream->depth++;
        end_gap(stream, caller_of(stream));
    }
    stream->own->rank->threads += !stream->called;
    stream->called = 1;
    if (region->begins && !stream->own->rank->init_begin)
        stream->own->rank->init_begin = time;
    if (region->ends && !stream->own->rank->finalize_begin)
        stream->own->rank->finalize_begin = time;
    if (region->ends)
        marked_end(stream, time);
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

static uint32_t row_of(struct stream *stream, uint64_t key, uint32_t caller)
{
    struct recent *recent = &stream->recent[key & (RECENT_ROWS - 1)];
    if (recent->key == key && recent->caller == caller && recent->row)
        return recent->row - 1;
    const uint32_t number = row_number(stream->own->rank, key, caller);
    if (!stream->own->rank->folded)       /* else each time is counted */
        *recent = (struct recent){ key, caller, number + 1 };
    return number;
}

static uint32_t count_call(struct stream *stream, uint64_t exit)
{
    const uint64_t duration = exit - stream->enter;
    const uint64_t key = (uint64_t)stream->call->operation | (uint64_t)stream->class << 16 | (uint64_t)bin_of(stream) << 24
        | (uint64_t)stream->communicator << 32;
    const uint32_t number = row_of(stream, key, caller_of(stream));
    struct row *row = &stream->own->rank->rows[number];
    row->count++;
    row->bytes += stream->bytes;
    row->time += duration;
    row->shortest = duration < row->shortest ? duration : row->shortest;
    row->longest = duration > row->longest ? duration : row->longest;
    stream->own->rank->events++;
    slice_call(stream, stream->call->slice, stream->enter, exit, stream->bytes);
    if (stream->marked) {
        struct marked *marked = &stream->own->rank->marked[stream->marked - 1];
        marked->kinds[stream->call->slice] += duration;
        marked->calls++;
        marked->bytes += stream->bytes;
    }
    return number;
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

static void send_parts(struct stream *stream, uint32_t call, uint64_t exit)
{
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

/* With a part that cannot be matched, the wait of the call stays unknown; its partners are answered all the same. */
static void judge(struct stream *stream, uint32_t number, uint64_t exit)
{
    const int nobody = stream->call->kind == KIND_POST || stream->call->kind == KIND_TEST || stream->alone;
    const int judged = number != NO_ROW && (stream->part_count || stream->lost || nobody);
    struct call call = { .enter = stream->enter, .exit = exit, .sent = UINT64_MAX, .row = number,
        .who = number == NO_ROW ? (int32_t)caller_of(stream) : NONE,      /* start and end have no row that tells where they are called */
        .kind = judged && !stream->lost ? CALL_JUDGED : CALL_COUNTED, .left = judged && !stream->lost ? (uint32_t)stream->part_count : 0 };
    if (judged) {
        stream->own->rank->rows[number].judged++;
        stream->own->rank->rows[number].judged_time += exit - stream->enter;
    }
    const uint32_t place = journal_add(stream, &call);
    send_parts(stream, call.left ? place : NO_CALL, exit);
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
    judge(stream, stream->call->kind != KIND_LIFECYCLE ? count_call(stream, time) : NO_ROW, time);
    if (stream->call->marks && stream->has_level)
        marked_level(stream, stream->level, time);
    stream->call = NULL;
    stream->mpi_depth = 0;
    stream->mark = time;
}
