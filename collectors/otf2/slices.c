/* The run in slices of time: what each group of ranks did in each. */
#include "stream.h"
#include <stddef.h>

static struct slice *slices_of(const struct stream *stream, int32_t rank)
{
    return &stream->worker->slices[(size_t)((uint32_t)rank / stream->worker->slicing.ranks_a_group) * SLICES];
}

/* A trace of a part of the run has no MPI_Init. */
static uint64_t begin_of(const struct stream *stream)
{
    const struct rank *rank = stream->own->rank;
    return rank->init_end ? rank->init_end : rank->first;
}

static uint64_t begin_of_slice(const struct stream *stream, unsigned slice) { return begin_of(stream) + (uint64_t)(slice * stream->worker->slicing.width); }

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
    stream->slice_span = slice == SLICES - 1 ? UINT64_MAX - stream->slice_begin : begin_of_slice(stream, slice + 1) - stream->slice_begin;
    return slice;
}

/* Adds a stretch of time to the slices that it lies in; `field`: its place in a slice. Before the end of MPI_Init there is none. */
static void spread(struct stream *stream, int32_t rank, size_t field, uint64_t from, uint64_t to)
{
    struct slice *slices = slices_of(stream, rank);
    if (from < begin_of(stream))
        return;
    while (from < to) {
        const unsigned slice = slice_of(stream, from);
        const uint64_t end = stream->slice_begin + stream->slice_span, until = to < end || end <= from ? to : end;      /* damaged clocks run over */
        ((uint64_t *)&slices[slice])[field] += until - from;
        from = until;
    }
}

#define FIELD(name) (offsetof(struct slice, name) / sizeof(uint64_t))

void slice_call(struct stream *stream, unsigned kind, uint64_t enter, uint64_t exit, uint64_t bytes)
{
    if (enter < begin_of(stream))
        return;
    spread(stream, stream->own->number, FIELD(kinds) + kind, enter, exit);
    struct slice *slice = &slices_of(stream, stream->own->number)[slice_of(stream, exit)];
    slice->calls++;
    slice->bytes += bytes;
}

/* What others waited for is put where they waited. */
void slice_wait(struct stream *stream, const struct call *call)
{
    spread(stream, stream->own->number, FIELD(split), call->enter, call->exit);
    if (!call->late)
        return;
    spread(stream, stream->own->number, FIELD(wait), call->enter, call->late);
    spread(stream, call->who, FIELD(caused), call->enter, call->late);
}
