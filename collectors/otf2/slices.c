/* The run in slices of time: what each group of ranks did in each. */
#include "stream.h"
#include <stddef.h>

static unsigned slice_at(double time, double width)
{
    const double slice = time / width;
    return slice <= 0 ? 0 : slice >= SLICES - 1 ? SLICES - 1 : (unsigned)slice;
}

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

/* Adds a stretch of time to the slices that it lies in; `field`: its place in a slice. Before the end of MPI_Init there is none. */
static void spread(const struct stream *stream, int32_t rank, size_t field, uint64_t from, uint64_t to)
{
    const double width = stream->worker->slicing.width;
    const uint64_t start = begin_of(stream);
    struct slice *slices = slices_of(stream, rank);
    if (from < start || to <= from)
        return;
    const unsigned first = slice_at((double)(from - start), width), last = slice_at((double)(to - start), width);
    for (unsigned i = first; i <= last; i++) {
        const uint64_t end = i == last ? to : start + (uint64_t)((i + 1) * width);
        if (end > from)
            ((uint64_t *)&slices[i])[field] += end - from;
        from = end > from ? end : from;
    }
}

#define FIELD(name) (offsetof(struct slice, name) / sizeof(uint64_t))

void slice_call(struct stream *stream, unsigned kind, uint64_t enter, uint64_t exit, uint64_t bytes)
{
    const uint64_t start = begin_of(stream);
    if (enter < start)
        return;
    struct slice *slice = &slices_of(stream, stream->own->number)[slice_at((double)(exit - start), stream->worker->slicing.width)];
    slice->calls++;
    slice->bytes += bytes;
    spread(stream, stream->own->number, FIELD(kinds) + kind, enter, exit);
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
