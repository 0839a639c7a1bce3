#include "folding.h"
#include <math.h>
#include <string.h>

/* ---- how ranks spread ---- */

static uint64_t owners(uint64_t of_longest, uint64_t of_shortest)
{
    return of_longest << 32 | (of_shortest & 0xFFFFFFFFu);
}

uint64_t spread_owners(const struct pile_row *one, const struct pile_row *other)
{
    return owners((other->longest > one->longest ? other : one)->bytes >> 32,
                  (other->shortest < one->shortest ? other : one)->bytes);
}

/* Times of one class differ by 14 to 25 %: the exponent of the number and two more bits. */
static uint64_t class_of(double time)
{
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits >> 50;
}

static void add_spread(struct pile *pile, uint64_t key, uint64_t all, double time, uint64_t rank)
{
    struct pile_row row = { PILE_SPREAD, -1,   key, class_of(time), all, 1, owners(rank, rank),
                            time,        time, time };
    heap_add(pile, &pile->rows, sizeof row, &row);
}

/* One row for each kind of calls, and one for each operation: its kinds lie together only within a
 * class, so they are added up here. */
static void add_spreads(struct pile *pile, uint64_t rank)
{
    enum { OPERATIONS = 1024 };
    double times[OPERATIONS] = { 0 };
    uint8_t called[OPERATIONS] = { 0 };
    for (size_t i = 0, count = pile->rows.count; i < count; i++) {
        const struct pile_row row =
            ((struct pile_row *)pile->rows.rows)[i]; /* a copy: rows move when some are added */
        if (row.table != PILE_CALLS)
            continue;
        add_spread(pile, row.first, 0, row.time, rank);
        called[(row.first & 0xFFFF) % OPERATIONS] = 1;
        times[(row.first & 0xFFFF) % OPERATIONS] += row.time;
    }
    for (uint64_t operation = 0; operation < OPERATIONS; operation++)
        if (called[operation])
            add_spread(pile, operation, 1, times[operation], rank);
}

/* ---- what waiting becomes ---- */

static double share_of(const struct pile_wait *row)
{
    double share = row->duration > 0 ? row->wait / row->duration : 0;
    return share < 1 ? share : 1;
}

/* A ratio of sums is not a sum of ratios: the row becomes the estimate for all its calls, and the
 * variance of that. */
static void estimate(struct pile_wait *row)
{
    const double share = share_of(row), scale = row->duration > 0 ? row->time / row->duration : 0;
    double variance =
        row->wait_wait - 2 * share * row->wait_duration + share * share * row->duration_duration;
    row->unresolved *= scale;
    row->hideable *= scale;
    row->propagated *= scale;
    row->handed_on *= scale;
    row->set_up *= scale;
    row->wait = row->time * share;
    row->duration = row->time;
    row->wait_wait = variance > 0 ? variance * scale * scale : 0;
    row->wait_duration = row->duration_duration = 0;
}

void unite_after(struct pile_wait *sum, const struct pile_wait *row)
{
    const int same = sum->after == row->after,
              more = row->handed_on + row->set_up > sum->handed_on + sum->set_up;
    if (!same && !more)
        return;
    sum->after = row->after;
    sum->handed_on = row->handed_on + (same ? sum->handed_on : 0);
    sum->set_up = row->set_up + (same ? sum->set_up : 0);
}

/* Ranks keep the same instances and err together: their deviations are added, not their squares. */
void unite_folded_waits(struct pile_wait *sum, const struct pile_wait *row)
{
    double deviation = sqrt(sum->wait_wait) + sqrt(row->wait_wait);
    sum->calls += row->calls;
    sum->sampled += row->sampled;
    sum->time += row->time;
    sum->duration += row->duration;
    sum->wait += row->wait;
    sum->unresolved += row->unresolved;
    sum->hideable += row->hideable;
    sum->propagated += row->propagated;
    unite_after(sum, row);
    sum->wait_wait = deviation * deviation;
}

/* ---- one rank ---- */

void pile_summarise(struct pile *pile)
{
    struct rank_scalars *values = &((struct pile_rank *)pile->ranks.rows)->values;
    const struct pile_row *rows = pile->rows.rows;
    const struct pile_wait *waits = pile->waits.rows;
    for (size_t i = 0; i < pile->rows.count; i++) {
        values->mpi_time += rows[i].table == PILE_CALLS ? rows[i].time : 0;
        values->bytes_sent += rows[i].table == PILE_PEERS ? rows[i].bytes : 0;
    }
    for (size_t i = 0; i < pile->waits.count; i++)
        values->wait_time += waits[i].time * share_of(&waits[i]);
    add_spreads(pile, (uint64_t)values->rank);
    pile_tidy(pile);
}

static const struct pile_communicator *find(const struct pile *pile, uint64_t id)
{
    const struct pile_communicator *rows = pile->communicators.rows;
    for (size_t i = 0; i < pile->communicators.count; i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}

/* There are few communicators with an eighth of the ranks or more. Of the others there may be as
 * many as ranks: id 0. */
static uint64_t folded_id(const struct pile *pile, uint64_t id, int ranks)
{
    const struct pile_communicator *communicator = find(pile, id);
    return communicator && 8ull * communicator->size >= (uint64_t)ranks ? id : 0;
}

static void fold_rows(struct pile *pile, int ranks)
{
    struct pile_row *rows = pile->rows.rows;
    struct pile_wait *waits = pile->waits.rows;
    for (size_t i = 0; i < pile->rows.count; i++) {
        rows[i].rank = -1;
        if (rows[i].table == PILE_PEERS)
            rows[i].first = (uint32_t)-1;
        else if (rows[i].table == PILE_MEMBERS)
            rows[i].second = folded_id(pile, rows[i].second, ranks);
    }
    for (size_t i = 0; i < pile->waits.count; i++) {
        waits[i].rank = -1;
        waits[i].communicator = folded_id(pile, waits[i].communicator, ranks);
        estimate(&waits[i]);
    }
}

void pile_fold(struct pile *pile, int ranks)
{
    struct pile_communicator *communicators = pile->communicators.rows;
    size_t kept = 0;
    fold_rows(pile, ranks);
    for (size_t i = 0; i < pile->communicators.count; i++)
        if (8ull * communicators[i].size >= (uint64_t)ranks)
            communicators[kept++] = communicators[i];
    pile->communicators.count = kept;
    for (size_t i = 0; i < pile->regions.count; i++)
        ((struct pile_region *)pile->regions.rows)[i].rank = -1;
    for (size_t i = 0; i < pile->counters.count; i++)
        ((struct pile_counter *)pile->counters.rows)[i].rank = -1;
    for (size_t i = 0; i < pile->variables.count; i++)
        ((struct pile_variable *)pile->variables.rows)[i].rank = -1;
    pile_tidy(pile);
}

/* ---- which ranks keep their rows ---- */

static void measure_all(const struct pile *pile, double found[MEASURES])
{
    const struct rank_scalars *values = &((struct pile_rank *)pile->ranks.rows)->values;
    const struct pile_late *late = pile->late.rows;
    found[MEASURE_MPI] = values->mpi_time;
    found[MEASURE_USEFUL] = values->finalize_begin - values->init_end - values->mpi_time;
    found[MEASURE_WAIT] = values->wait_time;
    found[MEASURE_INIT] = values->init_end - values->init_begin;
    found[MEASURE_SENT] = (double)values->bytes_sent;
    found[MEASURE_MEMORY] = (double)values->memory_peak;
    found[MEASURE_SWITCHES] = (double)values->involuntary_switches;
    found[MEASURE_LAST] = 0;
    for (size_t i = 0; i < pile->late.count; i++)
        found[MEASURE_LAST] += late[i].rank == values->rank ? late[i].last : 0;
    /* Any rank is as likely as any other to have the largest hash. */
    found[MEASURE_ANY] = (double)(((uint64_t)values->rank + 1) * 0x9E3779B97F4A7C15ull >> 12);
}

void extremes_start(struct extremes *extremes, const struct pile *pile)
{
    const int rank = ((struct pile_rank *)pile->ranks.rows)->values.rank;
    double values[MEASURES];
    measure_all(pile, values);
    for (int measure = 0; measure < MEASURES; measure++)
        for (int i = 0; i < EXTREMES; i++)
            extremes->rows[measure][i] = i || !(values[measure] > 0)
                                             ? (struct extreme){ 0, -1 }
                                             : (struct extreme){ values[measure], rank };
}

void extremes_merge(struct extremes *into, const struct extremes *from)
{
    for (int measure = 0; measure < MEASURES; measure++) {
        struct extreme merged[EXTREMES];
        const struct extreme *a = into->rows[measure], *b = from->rows[measure];
        for (int i = 0; i < EXTREMES; i++)
            merged[i] = b->rank < 0 || (a->rank >= 0 && a->value >= b->value) ? *a++ : *b++;
        memcpy(into->rows[measure], merged, sizeof merged);
    }
}

int extremes_have(const struct extremes *extremes, int rank)
{
    for (int measure = 0; measure < MEASURES; measure++)
        for (int i = 0; i < EXTREMES; i++)
            if (extremes->rows[measure][i].rank == rank)
                return 1;
    return rank == 0;
}
