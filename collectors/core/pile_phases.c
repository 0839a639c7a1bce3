/* Slices of time and regions of the ranks: filling, and putting together. */
#include "pile.h"

struct group {
    int64_t first;
    uint64_t ranks;
};

/* Neighbours belong together, and mostly to one host. */
static struct group group_of(int rank, int ranks)
{
    if (ranks <= PHASE_GROUPS)
        return (struct group){ rank, 1 };
    int64_t number = (int64_t)rank * PHASE_GROUPS / ranks;
    int64_t first = (number * ranks + PHASE_GROUPS - 1) / PHASE_GROUPS,
            next = ((number + 1) * ranks + PHASE_GROUPS - 1) / PHASE_GROUPS;
    return (struct group){ first, (uint64_t)(next - first) };
}

static struct pile_phase phase_of(struct group group, uint64_t slice, double width)
{
    return (struct pile_phase){
        .rank = group.first, .ranks = group.ranks, .slice = slice, .width = width
    };
}

/* The row of a slice: mostly one of the last, since calls come nearly in their order, and at most
 * one a group. If it is further back there are two, and tidying puts them together. */
static struct pile_phase *row_of(struct pile *pile, struct group group, uint64_t slice,
                                 double width, int ranks)
{
    struct pile_phase *rows = pile->phases.rows;
    const size_t near = 2 * (size_t)(ranks < PHASE_GROUPS ? ranks : PHASE_GROUPS);
    for (size_t i = pile->phases.count; i > 0 && i + near > pile->phases.count; i--)
        if (rows[i - 1].slice == slice && rows[i - 1].rank == group.first)
            return &rows[i - 1];
    const struct pile_phase phase = phase_of(group, slice, width);
    return heap_add(pile, &pile->phases, sizeof phase, &phase);
}

void pile_add_phase(struct pile *pile, const struct record *record, int rank,
                    enum phase_column column, double from, double to, double weight)
{
    const double width = record->rank.blocks ? record->block[0]->phases.slices[0].width : 0;
    const struct group group = group_of(rank, record->rank.ranks);
    from = from < 0 ? 0 : from;
    for (uint64_t slice = width > 0 ? (uint64_t)(from / width) : SLICE_ROWS;
         slice < SLICE_ROWS && (double)slice * width < to; slice++) {
        struct pile_phase *phase = row_of(pile, group, slice, width, record->rank.ranks);
        double begin = (double)slice * width, end = begin + width;
        if (phase)
            *(double *[]){ &phase->split, &phase->wait, &phase->caused }[column] +=
                weight * ((to < end ? to : end) - (from > begin ? from : begin));
    }
}

static void add_slice(struct pile *pile, const struct record *record, const struct slice *slice)
{
    struct pile_phase phase =
        phase_of(group_of(record->rank.rank, record->rank.ranks), slice->index, slice->width);
    for (int kind = 0; kind < PHASE_KINDS; kind++)
        phase.time[kind] = (double)slice->sums.ticks[kind] * record->rank.seconds_per_tick;
    phase.calls = slice->sums.calls;
    phase.bytes = slice->sums.bytes;
    phase.no_core_outside = (double)slice->delayed[0] * record->rank.seconds_per_tick;
    phase.no_core_inside = (double)slice->delayed[1] * record->rank.seconds_per_tick;
    heap_add(pile, &pile->phases, sizeof phase, &phase);
}

static void add_region(struct pile *pile, const struct record *record, const struct region *region)
{
    const double tick = record->rank.seconds_per_tick;
    struct pile_region row = {
        record->rank.rank,  region->level,     region->entries, (double)region->ticks * tick, { 0 },
        region->sums.calls, region->sums.bytes
    };
    for (int kind = 0; kind < PHASE_KINDS; kind++)
        row.mpi[kind] = (double)region->sums.ticks[kind] * tick;
    heap_add(pile, &pile->regions, sizeof row, &row);
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

static int compare_phases(const void *left, const void *right)
{
    const struct pile_phase *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    return order ? order : (a->slice > b->slice) - (a->slice < b->slice);
}

/* Widths differ by powers of two: a rank that ran longer has wider slices. */
int phases_same_width(struct heap *phases)
{
    struct pile_phase *rows = phases->rows;
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

static void unite_phases(void *into, const void *from)
{
    struct pile_phase *sum = into;
    const struct pile_phase *more = from;
    for (int kind = 0; kind < PHASE_KINDS; kind++)
        sum->time[kind] += more->time[kind];
    sum->calls += more->calls;
    sum->bytes += more->bytes;
    sum->split += more->split;
    sum->wait += more->wait;
    sum->caused += more->caused;
    sum->no_core_inside += more->no_core_inside;
    sum->no_core_outside += more->no_core_outside;
}

static int compare_regions(const void *left, const void *right)
{
    const struct pile_region *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    return order ? order : (a->level > b->level) - (a->level < b->level);
}

static void unite_regions(void *into, const void *from)
{
    struct pile_region *sum = into;
    const struct pile_region *more = from;
    sum->entries += more->entries;
    sum->time += more->time;
    for (int kind = 0; kind < PHASE_KINDS; kind++)
        sum->mpi[kind] += more->mpi[kind];
    sum->calls += more->calls;
    sum->bytes += more->bytes;
}

const struct row_kind phase_kind = { sizeof(struct pile_phase), compare_phases, unite_phases };
const struct row_kind region_kind = { sizeof(struct pile_region), compare_regions, unite_regions };
