/* From sampled calls to one row for each kind of call, scaled to all calls of that kind. */
#include "wait_calls.h"
#include "wait_strata.h"
#include "job.h"
#include "events.h"
#include "operations.h"
#include "phases.h"
#include <stdlib.h>
#include <string.h>

enum { CELLS = 512 };

struct cell {
    uint64_t key;
    struct profile_waits row;
    struct stratum strata[STRATA];
};
struct cells {
    struct cell *rows;
    size_t count;
    int one_stratum;
}; /* where some calls were counted without theirs */

static struct cell *find_cell(const struct cells *cells, uint64_t key)
{
    for (size_t i = 0; i < cells->count; i++)
        if (cells->rows[i].key == key)
            return &cells->rows[i];
    return NULL;
}

static struct cell *cell_of(struct cells *cells, uint64_t key)
{
    struct cell *cell = find_cell(cells, key);
    if (cell || cells->count == CELLS)
        return cell;
    cell = &cells->rows[cells->count++];
    memset(cell, 0, sizeof *cell);
    cell->key = key;
    return cell;
}

static struct stratum *stratum_in(const struct cells *cells, struct cell *cell, uint64_t number)
{
    return &cell->strata[cells->one_stratum ? 0 : number];
}

static unsigned stratum_of_call(const struct call *call)
{
    return stratum_of(call->exit - call->enter);
}

static int same_slice(const struct call *call, const struct call *other)
{
    return call->slice && call->slice == other->slice && call->key == other->key &&
           stratum_of_call(call) == stratum_of_call(other);
}

/* How many: calls of one slice wait alike, and are one draw of the sample. */
static size_t add_sampled(struct cells *cells, const struct call *calls, size_t left)
{
    struct cell *cell = cell_of(cells, calls->key);
    double wait = calls->wait, duration = calls->duration;
    size_t count = 1;
    for (; count < left && same_slice(calls, &calls[count]); count++) {
        wait += calls[count].wait;
        duration += calls[count].duration;
    }
    if (cell) {
        cell->row.sampled += count;
        stratum_add(stratum_in(cells, cell, stratum_of_call(calls)), wait, duration,
                    calls->probability);
    }
    return count;
}

/* All calls of these kinds, sampled or not, from the counters. */
static void add_counted(struct cells *cells, const struct event_row *row)
{
    const uint64_t key = row->key & (key_of_stratum(1) - 1);
    const double time = (double)row->ticks * record->rank.seconds_per_tick;
    struct cell *cell = row->count ? find_cell(cells, key) : NULL;
    if (!cell)
        return;
    stratum_in(cells, cell, key_stratum(row->key))->time += time;
    cell->row.calls += row->count;
    cell->row.time += time;
}

/* From here on a call counts as many times as there are calls that it stands for. */
static void weigh(const struct cells *cells, struct cell *cell, struct call *call)
{
    call->weight =
        cell ? stratum_weight(stratum_in(cells, cell, stratum_of_call(call)), call->probability)
             : 0;
}

/* Most of the time that follows on other operations follows on one, if any does: Boyer and Moore's
 * vote; `inherited` holds its votes until it is counted. */
static void vote(struct profile_waits *row, const struct call *call)
{
    const double votes = call->duration * call->weight;
    if (row->after == call->after) {
        row->inherited += votes;
    } else if ((row->inherited -= votes) < 0) {
        row->after = call->after;
        row->inherited = -row->inherited;
    }
}

static void add_after(struct profile_waits *row, const struct call *call)
{
    if (!call->after || call->after != row->after)
        return;
    row->inherited += call->propagated * call->weight;
    if (operation_kinds[call->after] == KIND_OTHER)
        row->first_use += (call->duration - call->wait) * call->weight;
}

/* Which other operation these calls follow on, and what of them goes with it. */
static void find_after(struct cells *cells, const struct calls *calls)
{
    struct cell *cell;
    for (size_t i = 0; i < calls->count; i++)
        if (calls->rows[i].after && (cell = find_cell(cells, calls->rows[i].key)))
            vote(&cell->row, &calls->rows[i]);
    for (size_t i = 0; i < cells->count; i++)
        cells->rows[i].row.inherited = 0;
    for (size_t i = 0; i < calls->count; i++)
        if ((cell = find_cell(cells, calls->rows[i].key)))
            add_after(&cell->row, &calls->rows[i]);
}

static void add_parts(struct cell *cell, const struct call *call)
{
    if (!cell)
        return;
    cell->row.unresolved += call->weight * call->unresolved;
    cell->row.overlappable += call->weight * call->overlappable;
    cell->row.propagated += call->after ? 0 : call->weight * call->propagated;
}

/* To one of the last rows, if it is of that rank and class. */
void waits_add_lateness(struct pile *pile, int rank, unsigned class, double instances, double last,
                        double delay_cost)
{
    enum { NEAR = 16 };
    const struct row_buffer *before = &pile->tables[TABLE_DELAYS];
    struct profile_delays *rows = before->rows, *row = NULL;
    for (size_t i = before->count; !row && i > 0 && i + NEAR > before->count; i--)
        if (rows[i - 1].rank == rank && rows[i - 1].class == class)
            row = &rows[i - 1];
    if (!row &&
        !(row = pile_add(pile, TABLE_DELAYS,
                         &(struct profile_delays){ .rank = rank, .class = (uint8_t)class })))
        return;
    row->instances += instances;
    row->last += last;
    row->delay_cost += delay_cost;
}

/* When it was: by this rank's slices of time. */
static void add_to_phases(struct pile *pile, const struct call *call)
{
    const uint64_t origin = record->rank.blocks ? record->block[0]->phases.origin : 0;
    const double tick = record->rank.seconds_per_tick,
                 enter = (double)(int64_t)(call->enter - origin) * tick;
    pile_add_phase(pile, record, job.rank, PHASE_SPLIT, enter, enter + call->duration,
                   call->weight);
    pile_add_phase(pile, record, job.rank, PHASE_WAIT, enter, enter + call->wait, call->weight);
    if (call->wait > 0)
        pile_add_phase(pile, record, call->who, PHASE_CAUSED, enter, enter + call->wait,
                       call->weight);
}

void waits_add_row(struct pile *pile, uint64_t key, struct profile_waits *row)
{
    row->rank = job.rank;
    row->communicator = record->communicators[key_communicator(key)].id;
    row->operation = (uint16_t)key_operation(key);
    row->class = (uint8_t)key_class(key);
    row->bin = key_bin(key);
    pile_add(pile, TABLE_WAITS, row);
}

/* The row tells the estimate for all calls as if all had been sampled, and its variance. */
static void finish(struct pile *pile, struct cell *cell)
{
    struct profile_waits *row = &cell->row;
    const unsigned size = record->communicators[key_communicator(cell->key)].size,
                   members = size > 2 ? size : 2; /* of messages no communicator is told */
    row->duration = row->time;
    for (int i = 0; i < STRATA; i++) {
        double variance;
        row->wait += stratum_wait(&cell->strata[i], members, &variance);
        row->wait_wait += variance;
    }
    row->propagated = row->propagated > 0 ? row->propagated : 0;
    row->inherited = row->inherited > 0 ? row->inherited : 0;
    waits_add_row(pile, cell->key, row);
}

static void fill(struct cells *cells, const struct calls *calls)
{
    for (uint32_t k = 0; k < record->rank.blocks; k++)
        cells->one_stratum |= record->block[k]->used_events >= FINE_LIMIT;
    for (size_t i = 0; i < calls->count;)
        i += add_sampled(cells, &calls->rows[i], calls->count - i);
    for (uint32_t k = 0; k < record->rank.blocks; k++)
        for (uint64_t i = 0; i <= record->block[k]->used_events; i++)
            add_counted(cells, event_begun(record->block[k], i));
}

void waits_add_results(struct pile *pile, const struct calls *calls)
{
    struct cells cells = {
        malloc(CELLS * sizeof *cells.rows), 0, 0
    }; /* not static: the image is part of what each rank pays all the time */
    if (!cells.rows)
        return;
    fill(&cells, calls);
    for (size_t i = 0; i < calls->count; i++) {
        struct call *call = &calls->rows[i];
        struct cell *cell = find_cell(&cells, call->key);
        weigh(&cells, cell, call);
        add_parts(cell, call);
        add_to_phases(pile, call);
        if (call->wait > 0)
            waits_add_lateness(pile, call->who, key_class(call->key), 0, 0,
                               call->wait * call->weight);
    }
    find_after(&cells, calls);
    for (size_t i = 0; i < cells.count; i++)
        finish(pile, &cells.rows[i]);
    free(cells.rows);
}
