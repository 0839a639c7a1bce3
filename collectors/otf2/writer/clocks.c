/* One clock for all: seconds since a moment of the job, from the ticks of each rank.
 *
 * Ranks that came to MPI_Finalize compared their host's clock with that of rank 0 at the start and
 * at the end. One that was killed takes the comparison of another rank of its host; where there is
 * none, the time of day at MPI_Init must do. */
#include "writer.h"
#include <math.h>
#include <string.h>

static double seconds_of(const struct source *source, uint64_t ticks)
{
    return (double)(int64_t)(ticks - source->first) * source->rate + source->shift;
}

uint64_t time_of(const struct writer *writer, const struct source *source, uint64_t ticks)
{
    const double nanoseconds = (seconds_of(source, ticks) - writer->zero) * 1e9;
    return nanoseconds < 1      ? 1
           : nanoseconds > 9e18 ? (uint64_t)9e18
                                : (uint64_t)(nanoseconds + 1.5);
}

static const struct source *compared_on(const struct writer *writer, const char *node)
{
    for (int32_t rank = 0; rank < writer->ranks; rank++) {
        const struct trace_header *header = writer->sources[rank].header;
        if (header && header->has_map && !strncmp(header->node, node, sizeof header->node))
            return &writer->sources[rank];
    }
    return NULL;
}

static void take_map(struct source *source, const struct trace_header *from)
{
    source->rate = from->map_rate;
    source->shift = from->map_shift;
    source->first = from->map_first;
}

/* The time of day where the job's clock begins, by a rank that has both; 0: none. */
static double day_of_zero(const struct writer *writer)
{
    for (int32_t rank = 0; rank < writer->ranks; rank++) {
        const struct source *source = &writer->sources[rank];
        if (source->header && source->header->has_map)
            return source->header->origin_time - seconds_of(source, source->header->origin_ticks);
    }
    return 0;
}

static const struct source *first_of_host(const struct writer *writer, const char *node)
{
    for (int32_t rank = 0; rank < writer->ranks; rank++)
        if (writer->sources[rank].header && !strncmp(writer->sources[rank].header->node, node,
                                                     sizeof writer->sources[rank].header->node))
            return &writer->sources[rank];
    return NULL;
}

static void find_last_calls(struct writer *writer)
{
    writer->until = -INFINITY;
    for (int32_t rank = 0; rank < writer->ranks; rank++) {
        struct source *source = &writer->sources[rank];
        const uint64_t mask = source->header ? source->header->capacity - 1 : 0;
        uint64_t last = 0;
        for (uint64_t i = source->to; i-- > source->from && !last;) {
            const uint64_t at = i & mask;
            if (at < source->available && source->events[at].kind == EVENT_CALL)
                last = source->events[at].end;
        }
        source->end =
            source->header ? seconds_of(source, last ? last : source->header->init_end) : 0;
        if (source->header && source->end > writer->until)
            writer->until = source->end;
    }
}

/* A program of sessions only has no MPI_Init. */
static uint64_t begin_of(const struct trace_header *header)
{
    return header->init_begin ? header->init_begin : header->init_end;
}

void clocks_find(struct writer *writer)
{
    for (int32_t rank = 0; rank < writer->ranks; rank++)
        if (writer->sources[rank].header && writer->sources[rank].header->has_map)
            take_map(&writer->sources[rank], writer->sources[rank].header);
    const double zero = day_of_zero(writer);
    for (int32_t rank = 0; rank < writer->ranks; rank++) {
        struct source *source = &writer->sources[rank];
        if (!source->header || source->header->has_map)
            continue;
        const struct source *same = compared_on(writer, source->header->node),
                            *own = first_of_host(writer, source->header->node);
        writer->own_clocks += !same && own == source;
        if (same)
            take_map(source, same->header);
        else {
            source->rate = own->header->seconds_per_tick;
            source->first = own->header->origin_ticks;
            source->shift = own->header->origin_time - zero;
        }
    }
    writer->zero = INFINITY;
    for (int32_t rank = 0; rank < writer->ranks; rank++)
        if (writer->sources[rank].header)
            writer->zero = fmin(writer->zero, seconds_of(&writer->sources[rank],
                                                         begin_of(writer->sources[rank].header)));
    find_last_calls(writer);
}

uint64_t later(struct writer *writer, struct place *place, uint64_t time)
{
    place->time = time > place->time ? time : place->time;
    place->written++;
    writer->begin = writer->begin && writer->begin < place->time ? writer->begin : place->time;
    writer->end = writer->end > place->time ? writer->end : place->time;
    return place->time;
}
