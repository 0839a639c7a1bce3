/* Slices of time and regions of the ranks: filling, and putting together. */
#include "pile.h"

struct group {
    int32_t first;
    uint32_t ranks;
};

/* Neighbours belong together, and mostly to one host. */
static struct group group_of(int rank, int ranks)
{
    if (ranks <= PHASE_GROUPS)
        return (struct group){ rank, 1 };
    int64_t number = (int64_t)rank * PHASE_GROUPS / ranks;
    int64_t first = (number * ranks + PHASE_GROUPS - 1) / PHASE_GROUPS,
            next = ((number + 1) * ranks + PHASE_GROUPS - 1) / PHASE_GROUPS;
    return (struct group){ (int32_t)first, (uint32_t)(next - first) };
}

static struct profile_phases phase_of(struct group group, uint32_t slice, double width)
{
    return (struct profile_phases){
        .rank = group.first, .ranks = group.ranks, .slice = slice, .width = width
    };
}

/* The row of a slice: mostly one of the last, since calls come nearly in their order, and at most
 * one a group. If it is further back there are two, and combining puts them together. */
static struct profile_phases *row_of(struct pile *pile, struct group group, uint32_t slice,
                                     double width, int ranks)
{
    const struct row_buffer *phases = &pile->tables[TABLE_PHASES];
    struct profile_phases *rows = phases->rows;
    const size_t near = 2 * (size_t)(ranks < PHASE_GROUPS ? ranks : PHASE_GROUPS);
    for (size_t i = phases->count; i > 0 && i + near > phases->count; i--)
        if (rows[i - 1].slice == slice && rows[i - 1].rank == group.first)
            return &rows[i - 1];
    const struct profile_phases phase = phase_of(group, slice, width);
    return pile_add(pile, TABLE_PHASES, &phase);
}

void pile_add_phase(struct pile *pile, const struct record *record, int rank,
                    enum phase_column column, double from, double to, double weight)
{
    const double width = record->rank.blocks ? record->block[0]->phases.slices[0].width : 0;
    const struct group group = group_of(rank, record->rank.ranks);
    from = from < 0 ? 0 : from;
    for (uint32_t slice = width > 0 && from / width < SLICE_ROWS ? (uint32_t)(from / width)
                                                                 : SLICE_ROWS;
         slice < SLICE_ROWS && (double)slice * width < to; slice++) {
        struct profile_phases *phase = row_of(pile, group, slice, width, record->rank.ranks);
        double begin = (double)slice * width, end = begin + width;
        if (phase)
            *(double *[]){ &phase->split, &phase->wait, &phase->delay_cost }[column] +=
                weight * ((to < end ? to : end) - (from > begin ? from : begin));
    }
}

/* What slices and regions have in common. */
#define FILL(row, sums)                                                   \
    do {                                                                  \
        (row)->collective = (double)(sums).ticks[KIND_COLLECTIVE] * tick; \
        (row)->messages = (double)(sums).ticks[KIND_MESSAGES] * tick;     \
        (row)->completion = (double)(sums).ticks[KIND_COMPLETION] * tick; \
        (row)->onesided = (double)(sums).ticks[KIND_ONESIDED] * tick;     \
        (row)->io = (double)(sums).ticks[KIND_IO] * tick;                 \
        (row)->management = (double)(sums).ticks[KIND_OTHER] * tick;      \
        (row)->calls = (sums).calls;                                      \
        (row)->bytes = (sums).bytes;                                      \
    } while (0)

static void add_slice(struct pile *pile, const struct record *record, const struct slice *slice)
{
    struct profile_phases phase =
        phase_of(group_of(record->rank.rank, record->rank.ranks), slice->index, slice->width);
    const double tick = record->rank.seconds_per_tick;
    FILL(&phase, slice->sums);
    phase.no_core_outside = (double)slice->delayed[0] * tick;
    phase.no_core_inside = (double)slice->delayed[1] * tick;
    pile_add(pile, TABLE_PHASES, &phase);
}

static void add_region(struct pile *pile, const struct record *record, const struct region *region)
{
    const double tick = record->rank.seconds_per_tick;
    struct profile_regions row = { .rank = record->rank.rank,
                                   .level = region->level,
                                   .entries = region->entries,
                                   .time = (double)region->ticks * tick };
    FILL(&row, region->sums);
    pile_add(pile, TABLE_REGIONS, &row);
}

void pile_add_phases(struct pile *pile, const struct record *record)
{
    for (uint32_t k = 0; k < record->rank.blocks; k++) {
        const struct phases *phases = &record->block[k]->phases;
        for (int i = 0; i < SLICE_ROWS; i++)
            if (phases->slices[i].used)
                add_slice(pile, record, &phases->slices[i]);
        for (int i = 0; i < REGION_ROWS; i++)
            if (phases->regions[i].used)
                add_region(pile, record, &phases->regions[i]);
    }
}

/* Widths differ by powers of two: a rank that ran longer has wider slices. */
int phases_same_width(struct row_buffer *phases)
{
    struct profile_phases *rows = phases->rows;
    double widest = 0, narrowest = phases->count ? rows[0].width : 0;
    for (size_t i = 0; i < phases->count; i++) {
        widest = rows[i].width > widest ? rows[i].width : widest;
        narrowest = rows[i].width < narrowest ? rows[i].width : narrowest;
    }
    for (size_t i = 0; i < phases->count && narrowest < widest; i++)
        for (; rows[i].width < widest; rows[i].width *= 2)
            rows[i].slice /= 2;
    return narrowest < widest;
}
