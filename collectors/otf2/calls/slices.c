/* Time slices of the run: what each group of ranks did in each. */
#include "stream.h"
#include <stddef.h>

struct slice *slices_of(const struct worker *worker, int32_t rank)
{
    return &worker->slices[(size_t)((uint32_t)rank / worker->slicing.ranks_a_group) * SLICES];
}

/* A trace of a part of the run has no MPI_Init. */
static uint64_t begin_of(const struct stream *stream)
{
    const struct rank *rank = stream->own->rank;
    return rank->init_end ? rank->init_end : rank->first;
}

static uint64_t begin_of_slice(const struct stream *stream, unsigned slice)
{
    return begin_of(stream) + (uint64_t)(slice * stream->worker->slicing.width);
}

/* The slice of a moment; the last one is kept, since time goes on. */
static unsigned slice_of(struct stream *stream, uint64_t time)
{
    if (time - stream->slice_begin < stream->slice_span)
        return stream->slice;
    const double place = (double)(time - begin_of(stream)) / stream->worker->slicing.width;
    unsigned slice = place >= SLICES - 1 ? SLICES - 1 : (unsigned)place;
    slice += slice < SLICES - 1 && time >= begin_of_slice(stream, slice + 1);
    slice -= slice > 0 && time < begin_of_slice(stream, slice);
    stream->slice = slice;
    stream->slice_begin = begin_of_slice(stream, slice);
    stream->slice_span = slice == SLICES - 1
                             ? UINT64_MAX - stream->slice_begin
                             : begin_of_slice(stream, slice + 1) - stream->slice_begin;
    return slice;
}

/* Adds a stretch of time to the slices that it lies in; `field`: its place in a slice. Before the
 * end of MPI_Init there is none. */
static void spread(struct stream *stream, struct slice *slices, size_t field, uint64_t from,
                   uint64_t to)
{
    if (from < begin_of(stream))
        return;
    while (from < to) {
        const unsigned slice = slice_of(stream, from);
        const uint64_t end = stream->slice_begin + stream->slice_span,
                       until = to < end || end <= from ? to : end; /* damaged clocks run over */
        ((uint64_t *)&slices[slice])[field] += until - from;
        from = until;
    }
}

/* Nearly all: it lies in the slice of the last one. */
static int is_at_hand(const struct stream *stream, uint64_t from, uint64_t to)
{
    return from - stream->slice_begin < stream->slice_span &&
           to - stream->slice_begin < stream->slice_span && to >= from;
}

#define FIELD(name) (offsetof(struct slice, name) / sizeof(uint64_t))

void slice_call(struct stream *stream, uint64_t exit, int is_known)
{
    const uint64_t enter = stream->enter;
    const unsigned kind = stream->call->slice;
    struct slice *slice = &stream->slices[stream->slice];
    if (is_at_hand(stream, enter, exit)) {
        slice->kinds[kind] += exit - enter;
        slice->split += is_known ? exit - enter : 0;
    } else if (enter < begin_of(stream))
        return;
    else {
        spread(stream, stream->slices, FIELD(kinds) + kind, enter, exit);
        if (is_known)
            spread(stream, stream->slices, FIELD(split), enter, exit);
        slice = &stream->slices[slice_of(stream, exit)];
    }
    slice->calls++;
    slice->bytes += stream->bytes;
}

/* What others waited for is put where they waited. */
void slice_wait(struct stream *stream, const struct call *call)
{
    if (is_at_hand(stream, call->enter, call->exit)) {
        struct slice *slice = &stream->slices[stream->slice];
        slice->split += call->exit - call->enter;
        slice->wait += call->late ? call->late - call->enter : 0;
        if (call->late)
            slices_of(stream->worker, call->who)[stream->slice].delay_cost +=
                call->late - call->enter;
        return;
    }
    spread(stream, stream->slices, FIELD(split), call->enter, call->exit);
    if (!call->late)
        return;
    spread(stream, stream->slices, FIELD(wait), call->enter, call->late);
    spread(stream, slices_of(stream->worker, call->who), FIELD(delay_cost), call->enter,
           call->late);
}
