/* Tables of the profile that divide the run: slices of time, regions that the program marks, the
 * critical path, counters inside MPI and outside. */
#include "profile.h"

static uint32_t group_size(const struct writer *writer, uint32_t group)
{
    const uint32_t each = writer->results->slicing.ranks_a_group, first = group * each,
                   ranks = writer->definitions->ranks;
    return first + each < ranks ? each : ranks - first;
}

/* What slices and marked regions have in common. */
#define KINDS(from)                                                                         \
    .collective = seconds(writer, (from)->kinds[SLICE_COLLECTIVE]),                         \
    .messages = seconds(writer, (from)->kinds[SLICE_MESSAGES]),                             \
    .completion = seconds(writer, (from)->kinds[SLICE_COMPLETION]),                         \
    .onesided = seconds(writer, (from)->kinds[SLICE_ONESIDED]),                             \
    .io = seconds(writer, (from)->kinds[SLICE_IO]),                                         \
    .management = seconds(writer, (from)->kinds[SLICE_MANAGEMENT]), .calls = (from)->calls, \
    .bytes = (from)->bytes

static size_t slices(const struct writer *writer, uint32_t rank)
{
    return rank < writer->results->slicing.groups ? SLICES : 0;
}

static int fill_phases(const struct writer *writer, uint32_t group, size_t i, void *to)
{
    static const struct slice nothing;
    const struct slice *slice = &writer->results->slices[(size_t)group * SLICES + i];
    *(struct profile_phases *)to =
        (struct profile_phases){ .rank = (int32_t)(group * writer->results->slicing.ranks_a_group),
                                 .ranks = group_size(writer, group),
                                 .slice = (uint32_t)i,
                                 .width = writer->results->slicing.width /
                                          (double)writer->definitions->resolution,
                                 KINDS(slice),
                                 .split = seconds(writer, slice->split),
                                 .wait = seconds(writer, slice->wait),
                                 .delay_cost = seconds(writer, slice->delay_cost) };
    return memcmp(slice, &nothing, sizeof nothing) != 0;
}

static size_t marked_rows(const struct writer *writer, uint32_t rank)
{
    return RANK->marked_count;
}

static int fill_regions(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    const struct marked *marked = &RANK->marked[i];
    *(struct profile_regions *)to =
        (struct profile_regions){ .rank = (int32_t)rank,
                                  .level = marked->level,
                                  .name = marked->name ? caller_string(writer, marked->name - 1)
                                                       : CLASS_UNKNOWN,
                                  .entries = marked->entries,
                                  .time = seconds(writer, marked->ticks),
                                  KINDS(marked) };
    return 1;
}

#define RESOLUTION ((double)writer->definitions->resolution)
#define SIDE(name, side)                                                                       \
    .name = metered->sides[side].count, .name##_time = metered->sides[side].time / RESOLUTION, \
    .name##_squares = metered->sides[side].squares,                                            \
    .name##_products = metered->sides[side].products / RESOLUTION,                             \
    .name##_time_squares = metered->sides[side].time_squares / (RESOLUTION * RESOLUTION)

static size_t metrics(const struct writer *writer, uint32_t rank)
{
    return RANK->metered ? writer->definitions->metric_count : 0;
}

static int fill_counters(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    const struct metered *metered = &RANK->metered[i];
    *(struct profile_counters *)to =
        (struct profile_counters){ .rank = (int32_t)rank,
                                   .counter = metric_string(writer, i),
                                   .total = (uint64_t)(metered->total + 0.5),
                                   SIDE(inside, SIDE_INSIDE),
                                   SIDE(outside, SIDE_OUTSIDE) };
    return metered->is_read && !writer->faults[i];
}

static size_t path_rows(const struct writer *writer, uint32_t rank)
{
    return rank || writer->results->path->is_lost ? 0 : writer->results->path->room;
}

static int fill_path(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    const struct path_row *step = &writer->results->path->rows[i];
    (void)rank;
    *(struct profile_path *)to = (struct profile_path){ .rank = step->rank,
                                                        .operation = step->operation,
                                                        .time = seconds(writer, step->ticks) };
    if (step->region) {
        ((struct profile_path *)to)->function = caller_string(writer, step->region - 1);
        ((struct profile_path *)to)->file = caller_string(writer, step->region - 1) + 1;
    }
    return step->ticks != 0;
}

const struct filled part_tables[] = { { TABLE_PHASES, slices, fill_phases },
                                      { TABLE_REGIONS, marked_rows, fill_regions },
                                      { TABLE_PATH, path_rows, fill_path },
                                      { TABLE_COUNTERS, metrics, fill_counters },
                                      { TABLES, NULL, NULL } };
