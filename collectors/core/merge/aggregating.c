#include "aggregating.h"
#include <math.h>
#include <string.h>

/* ---- how ranks spread ---- */

/* Times of one class differ by 14 to 25 %: the exponent of the number and two more bits. */
static uint64_t class_of(double time)
{
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits >> 50;
}

static void add_to_distribution(struct merged *merged, struct profile_rank_distribution row,
                                double time, int rank)
{
    row.time_class = class_of(time);
    row.ranks = 1;
    row.time = row.min = row.max = time;
    row.min_rank = row.max_rank = rank;
    merged_add(merged, TABLE_RANK_DISTRIBUTION, &row);
}

/* One row for each kind of calls, and one for each operation: its kinds lie together only within a
 * class, so they are added up here. These have no class, and the bin of sizes that were not kept
 * apart. */
static void add_spreads(struct merged *merged, int rank)
{
    enum { OPERATIONS = 1024, ALL_BINS = -2 };
    double times[OPERATIONS] = { 0 };
    uint8_t called[OPERATIONS] = { 0 };
    const struct profile_calls *calls = merged->tables[TABLE_CALLS].rows;
    for (size_t i = 0; i < merged->tables[TABLE_CALLS].count; i++) {
        add_to_distribution(merged,
                            (struct profile_rank_distribution){ .operation = calls[i].operation,
                                                                .class = calls[i].class,
                                                                .bin = calls[i].bin },
                            calls[i].time, rank);
        called[calls[i].operation % OPERATIONS] = 1;
        times[calls[i].operation % OPERATIONS] += calls[i].time;
    }
    for (uint16_t operation = 0; operation < OPERATIONS; operation++)
        if (called[operation])
            add_to_distribution(merged,
                                (struct profile_rank_distribution){
                                    .operation = operation, .class = CLASS_COUNT, .bin = ALL_BINS },
                                times[operation], rank);
}

/* ---- what waiting becomes ---- */

static double share_of(const struct profile_waits *row)
{
    double share = row->duration > 0 ? row->wait / row->duration : 0;
    return share < 1 ? share : 1;
}

/* A ratio of sums is not a sum of ratios: the row becomes the estimate for all its calls, and the
 * variance of that. */
static void estimate(struct profile_waits *row)
{
    const double share = share_of(row), scale = row->duration > 0 ? row->time / row->duration : 0;
    double variance =
        row->wait_wait - 2 * share * row->wait_duration + share * share * row->duration_duration;
    row->unresolved *= scale;
    row->overlappable *= scale;
    row->propagated *= scale;
    row->inherited *= scale;
    row->first_use *= scale;
    row->wait = row->time * share;
    row->duration = row->time;
    row->wait_wait = variance > 0 ? variance * scale * scale : 0;
    row->wait_duration = row->duration_duration = 0;
}

/* ---- one rank ---- */

void merged_summarise(struct merged *merged)
{
    struct profile_ranks *own = merged->tables[TABLE_RANKS].rows;
    const struct profile_calls *calls = merged->tables[TABLE_CALLS].rows;
    const struct profile_peers *peers = merged->tables[TABLE_PEERS].rows;
    const struct profile_waits *waits = merged->tables[TABLE_WAITS].rows;
    for (size_t i = 0; i < merged->tables[TABLE_CALLS].count; i++)
        own->mpi_time += calls[i].time;
    for (size_t i = 0; i < merged->tables[TABLE_PEERS].count; i++)
        own->bytes_sent += peers[i].bytes;
    for (size_t i = 0; i < merged->tables[TABLE_WAITS].count; i++)
        own->wait_time += waits[i].time * share_of(&waits[i]);
    add_spreads(merged, own->rank);
    merged_sort_and_combine(merged);
}

static const struct profile_communicators *find(const struct merged *merged, uint64_t id)
{
    const struct profile_communicators *rows = merged->tables[TABLE_COMMUNICATORS].rows;
    for (size_t i = 0; i < merged->tables[TABLE_COMMUNICATORS].count; i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}

/* There are few communicators with an eighth of the ranks or more. Of the others there may be as
 * many as ranks: id 0. */
static uint64_t aggregated_id(const struct merged *merged, uint64_t id, int ranks)
{
    const struct profile_communicators *communicator = find(merged, id);
    return communicator && 8ull * communicator->size >= (uint64_t)ranks ? id : 0;
}

/* Tables whose rows are of one rank, which is their first column. */
static const enum table_number of_ranks[] = { TABLE_CALLS,   TABLE_MEMBERS,  TABLE_SITES,
                                              TABLE_PEERS,   TABLE_WINDOWS,  TABLE_WAITS,
                                              TABLE_REGIONS, TABLE_COUNTERS, TABLE_VARIABLES,
                                              TABLE_HANDLING };

static void take_ranks_off(struct merged *merged)
{
    const int32_t none = -1;
    for (size_t k = 0; k < sizeof of_ranks / sizeof *of_ranks; k++) {
        char *row = merged->tables[of_ranks[k]].rows;
        for (size_t i = 0; i < merged->tables[of_ranks[k]].count;
             i++, row += tables[of_ranks[k]].rows.size)
            memcpy(row, &none, sizeof none);
    }
}

static void aggregate_rows(struct merged *merged, int ranks)
{
    struct profile_members *members = merged->tables[TABLE_MEMBERS].rows;
    struct profile_peers *peers = merged->tables[TABLE_PEERS].rows;
    struct profile_waits *waits = merged->tables[TABLE_WAITS].rows;
    take_ranks_off(merged);
    for (size_t i = 0; i < merged->tables[TABLE_MEMBERS].count; i++)
        members[i].communicator = aggregated_id(merged, members[i].communicator, ranks);
    for (size_t i = 0; i < merged->tables[TABLE_PEERS].count; i++)
        peers[i].peer = -1;
    for (size_t i = 0; i < merged->tables[TABLE_WAITS].count; i++) {
        waits[i].communicator = aggregated_id(merged, waits[i].communicator, ranks);
        estimate(&waits[i]);
    }
}

void merged_aggregate(struct merged *merged, int ranks)
{
    struct row_buffer *communicators = &merged->tables[TABLE_COMMUNICATORS];
    struct profile_communicators *rows = communicators->rows;
    size_t kept = 0;
    aggregate_rows(merged, ranks);
    for (size_t i = 0; i < communicators->count; i++)
        if (8ull * rows[i].size >= (uint64_t)ranks)
            rows[kept++] = rows[i];
    communicators->count = kept;
    merged_sort_and_combine(merged);
}

/* ---- which ranks keep their rows ---- */

static void measure_all(const struct merged *merged, double found[MEASURES])
{
    const struct profile_ranks *values = merged->tables[TABLE_RANKS].rows;
    const struct profile_delays *late = merged->tables[TABLE_DELAYS].rows;
    found[MEASURE_MPI] = values->mpi_time;
    found[MEASURE_USEFUL] = values->finalize_begin - values->init_end - values->mpi_time;
    found[MEASURE_WAIT] = values->wait_time;
    found[MEASURE_INIT] = values->init_end - values->init_begin;
    found[MEASURE_SENT] = (double)values->bytes_sent;
    found[MEASURE_MEMORY] = (double)values->memory_peak;
    found[MEASURE_SWITCHES] = (double)values->involuntary_switches;
    found[MEASURE_LAST] = 0;
    for (size_t i = 0; i < merged->tables[TABLE_DELAYS].count; i++)
        found[MEASURE_LAST] += late[i].rank == values->rank ? late[i].last : 0;
    /* Any rank is as likely as any other to have the largest hash. */
    found[MEASURE_ANY] = (double)(((uint64_t)values->rank + 1) * 0x9E3779B97F4A7C15ull >> 12);
}

void extremes_start(struct extremes *extremes, const struct merged *merged)
{
    const int rank = ((struct profile_ranks *)merged->tables[TABLE_RANKS].rows)->rank;
    double values[MEASURES];
    measure_all(merged, values);
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
