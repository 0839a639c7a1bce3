/* Tables of the profile that divide the run: slices of time, regions that the program marks, the
 * critical path, counters inside MPI and outside. */
#include "profile.h"

PUT(put_rank, int32_t, rank)

static uint32_t group_size(const struct writer *writer, uint32_t group)
{
    const uint32_t each = writer->results->slicing.ranks_a_group, first = group * each,
                   ranks = writer->definitions->ranks;
    return first + each < ranks ? each : ranks - first;
}

#define SLICE (&writer->results->slices[(size_t)rank * SLICES + i])
PUT(put_first_rank, int32_t, rank * writer->results->slicing.ranks_a_group)
PUT(put_group_ranks, uint32_t, group_size(writer, rank))
PUT(put_slice, uint32_t, i)
PUT(put_width, double, writer->results->slicing.width / (double)writer->definitions->resolution)
PUT(put_collective, double, seconds(writer, SLICE->kinds[SLICE_COLLECTIVE]))
PUT(put_messages_time, double, seconds(writer, SLICE->kinds[SLICE_MESSAGES]))
PUT(put_completion, double, seconds(writer, SLICE->kinds[SLICE_COMPLETION]))
PUT(put_onesided, double, seconds(writer, SLICE->kinds[SLICE_ONESIDED]))
PUT(put_io, double, seconds(writer, SLICE->kinds[SLICE_IO]))
PUT(put_management, double, seconds(writer, SLICE->kinds[SLICE_MANAGEMENT]))
PUT(put_slice_calls, uint64_t, SLICE->calls)
PUT(put_slice_bytes, uint64_t, SLICE->bytes)
PUT(put_split, double, seconds(writer, SLICE->split))
PUT(put_slice_wait, double, seconds(writer, SLICE->wait))
PUT(put_slice_caused, double, seconds(writer, SLICE->caused))
static const struct column phase_columns[] = { { "rank", "", "<i4", put_first_rank },
                                               { "ranks", "count", "<u4", put_group_ranks },
                                               { "slice", "", "<u4", put_slice },
                                               { "width", "s", "<f8", put_width },
                                               { "collective", "s", "<f8", put_collective },
                                               { "messages", "s", "<f8", put_messages_time },
                                               { "completion", "s", "<f8", put_completion },
                                               { "onesided", "s", "<f8", put_onesided },
                                               { "io", "s", "<f8", put_io },
                                               { "management", "s", "<f8", put_management },
                                               { "calls", "count", "<u8", put_slice_calls },
                                               { "bytes", "B", "<u8", put_slice_bytes },
                                               { "split", "s", "<f8", put_split },
                                               { "wait", "s", "<f8", put_slice_wait },
                                               { "caused", "s", "<f8", put_slice_caused },
                                               { 0 } };
static size_t slices(const struct writer *writer, uint32_t rank)
{
    return rank < writer->results->slicing.groups ? SLICES : 0;
}
static int has_calls(const struct writer *writer, uint32_t rank, size_t i)
{
    static const struct slice nothing;
    return memcmp(SLICE, &nothing, sizeof nothing) != 0;
}

#define MARKED (&RANK->marked[i])
PUT(put_level, int32_t, MARKED->level)
PUT(put_marked_name, uint32_t,
    MARKED->name ? caller_string(writer, MARKED->name - 1) : CLASS_UNKNOWN)
PUT(put_entries, uint64_t, MARKED->entries)
PUT(put_marked_time, double, seconds(writer, MARKED->ticks))
#define MARKED_KIND(name, kind) PUT(name, double, seconds(writer, MARKED->kinds[kind]))
MARKED_KIND(put_marked_collective, SLICE_COLLECTIVE)
MARKED_KIND(put_marked_messages, SLICE_MESSAGES)
MARKED_KIND(put_marked_completion, SLICE_COMPLETION)
MARKED_KIND(put_marked_onesided, SLICE_ONESIDED)
MARKED_KIND(put_marked_io, SLICE_IO)
MARKED_KIND(put_marked_management, SLICE_MANAGEMENT)
PUT(put_marked_calls, uint64_t, MARKED->calls)
PUT(put_marked_bytes, uint64_t, MARKED->bytes)
static const struct column marked_columns[] = { { "rank", "", "<i4", put_rank },
                                                { "level", "", "<i4", put_level },
                                                { "name", "", "text", put_marked_name },
                                                { "entries", "count", "<u8", put_entries },
                                                { "time", "s", "<f8", put_marked_time },
                                                { "collective", "s", "<f8", put_marked_collective },
                                                { "messages", "s", "<f8", put_marked_messages },
                                                { "completion", "s", "<f8", put_marked_completion },
                                                { "onesided", "s", "<f8", put_marked_onesided },
                                                { "io", "s", "<f8", put_marked_io },
                                                { "management", "s", "<f8", put_marked_management },
                                                { "calls", "count", "<u8", put_marked_calls },
                                                { "bytes", "B", "<u8", put_marked_bytes },
                                                { 0 } };
static size_t marked_rows(const struct writer *writer, uint32_t rank)
{
    return RANK->marked_count;
}

#define METERED (&RANK->metered[i])
#define METERED_SIDE(side, name, member, unit) \
    PUT(put_##side##_##name, double, METERED->sides[side].member / unit)
#define RESOLUTION ((double)writer->definitions->resolution)
#define METERED_SIDES(side)                            \
    METERED_SIDE(side, count, count, 1)                \
    METERED_SIDE(side, time, time, RESOLUTION)         \
    METERED_SIDE(side, squares, squares, 1)            \
    METERED_SIDE(side, products, products, RESOLUTION) \
    METERED_SIDE(side, time_squares, time_squares, (RESOLUTION * RESOLUTION))
PUT(put_metric, uint32_t, metric_string(writer, i))
PUT(put_total, uint64_t, METERED->total + 0.5)
METERED_SIDES(SIDE_INSIDE)
METERED_SIDES(SIDE_OUTSIDE)
#define METERED_COLUMNS(side, name)                                                                \
    { name, "count", "<f8", put_##side##_count }, { name "_time", "s", "<f8", put_##side##_time }, \
        { name "_squares", "", "<f8", put_##side##_squares },                                      \
        { name "_products", "", "<f8", put_##side##_products },                                    \
    {                                                                                              \
        name "_time_squares", "s2", "<f8", put_##side##_time_squares                               \
    }
static const struct column counter_columns[] = {
    { "rank", "", "<i4", put_rank },          { "counter", "", "text", put_metric },
    { "total", "count", "<u8", put_total },   METERED_COLUMNS(SIDE_INSIDE, "inside"),
    METERED_COLUMNS(SIDE_OUTSIDE, "outside"), { 0 }
};
static size_t metrics(const struct writer *writer, uint32_t rank)
{
    return RANK->metered ? writer->definitions->metric_count : 0;
}
static int is_metered(const struct writer *writer, uint32_t rank, size_t i)
{
    return METERED->is_read && !writer->faults[i];
}

#define STEP (&writer->results->path->rows[i])
PUT(put_path_rank, int32_t, STEP->rank)
PUT(put_path_operation, uint32_t,
    STEP->operation ? operation_string(STEP->operation - 1u) : CLASS_UNKNOWN)
PUT(put_path_function, uint32_t,
    STEP->region ? caller_string(writer, STEP->region - 1) : CLASS_UNKNOWN)
PUT(put_path_file, uint32_t,
    STEP->region ? caller_string(writer, STEP->region - 1) + 1 : CLASS_UNKNOWN)
PUT(put_path_time, double, seconds(writer, STEP->ticks))
static const struct column path_columns[] = {
    { "rank", "", "<i4", put_path_rank },          { "operation", "", "text", put_path_operation },
    { "function", "", "text", put_path_function }, { "file", "", "text", put_path_file },
    { "time", "s", "<f8", put_path_time },         { 0 }
};
static size_t path_rows(const struct writer *writer, uint32_t rank)
{
    return rank || writer->results->path->is_lost ? 0 : writer->results->path->room;
}
static int is_step(const struct writer *writer, uint32_t rank, size_t i)
{
    (void)rank;
    return STEP->ticks != 0;
}

const struct table part_tables[] = { { "phases", slices, has_calls, phase_columns },
                                     { "regions", marked_rows, NULL, marked_columns },
                                     { "path", path_rows, is_step, path_columns },
                                     { "counters", metrics, is_metered, counter_columns },
                                     { NULL, NULL, NULL, NULL } };
