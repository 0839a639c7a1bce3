/* From sampled calls to one row for each kind of call, scaled to all calls of that kind. */
#include "wait_calls.h"
#include "operations.h"
#include "phases.h"
#include <stdlib.h>
#include <string.h>

enum { CELLS = 512 };

static struct pile_wait *cell_of(struct pile_wait *cells, size_t *count, uint64_t key)
{
    size_t i = 0;
    while (i < *count && cells[i].key != key)
        i++;
    if (i == *count && *count < CELLS) {
        memset(&cells[i], 0, sizeof cells[i]);
        cells[i].key = key;
        cells[i].rank = job.rank;
        cells[(*count)++].communicator = record->communicators[key >> 32 & 0xFFFF].id;
    }
    return i < CELLS ? &cells[i] : NULL;
}

static void add_to_cell(struct pile_wait *cell, const struct call *call)
{
    const double weight = 1 / call->probability, spread = weight * weight * (1 - call->probability);
    cell->sampled++;
    cell->duration += weight * call->duration;
    cell->wait += weight * call->wait;
    cell->unresolved += weight * call->unresolved;
    cell->hideable += weight * call->hideable;
    cell->propagated += call->after ? 0 : weight * call->propagated;
    cell->wait_wait += spread * call->wait * call->wait;
    cell->wait_duration += spread * call->wait * call->duration;
    cell->duration_duration += spread * call->duration * call->duration;
}

/* Most of the time that follows on other operations follows on one, if any does: Boyer and Moore's vote; `handed_on` holds its votes until it is counted. */
static void vote(struct pile_wait *cell, const struct call *call)
{
    const double votes = call->duration / call->probability;
    if (cell->after == call->after) {
        cell->handed_on += votes;
    } else if ((cell->handed_on -= votes) < 0) {
        cell->after = call->after;
        cell->handed_on = -cell->handed_on;
    }
}

static void add_after(struct pile_wait *cell, const struct call *call)
{
    if (!call->after || call->after != cell->after)
        return;
    cell->handed_on += call->propagated / call->probability;
    if (operation_kinds[call->after] == KIND_OTHER)
        cell->set_up += (call->duration - call->wait) / call->probability;
}

/* Which other operation these calls follow on, and what of them goes with it. */
static void find_after(struct pile_wait *cells, size_t count, const struct calls *calls)
{
    struct pile_wait *cell;
    for (size_t i = 0; i < calls->count; i++)
        if (calls->rows[i].after && (cell = cell_of(cells, &count, calls->rows[i].key)))
            vote(cell, &calls->rows[i]);
    for (size_t i = 0; i < count; i++)
        cells[i].handed_on = 0;
    for (size_t i = 0; i < calls->count; i++)
        if ((cell = cell_of(cells, &count, calls->rows[i].key)))
            add_after(cell, &calls->rows[i]);
}

/* All calls of these kinds, sampled or not, from the counters. */
static void add_totals(struct pile_wait *cells, size_t count)
{
    for (uint32_t k = 0; k < record->rank.blocks; k++)
        for (int i = 0; i < EVENT_ROWS; i++) {
            const struct event_row *row = &record->block[k]->events[i];
            for (size_t c = 0; row->count && c < count; c++)
                if (cells[c].key == (row->key & 0xFFFFFFFFFFFFull)) {
                    cells[c].calls += row->count;
                    cells[c].time += (double)row->ticks * record->rank.seconds_per_tick;
                }
        }
}

static double scale_of(const struct pile_wait *cell) { return cell->duration > 0 ? cell->time / cell->duration : 0; }

void waits_add_lateness(struct pile *pile, int rank, unsigned class, double instances, double last, double caused)
{
    struct pile_late late = { rank, class, instances, last, caused };
    heap_add(pile, &pile->late, sizeof late, &late);
}

/* When it was: by this rank's slices of time. */
static void add_to_phases(struct pile *pile, const struct call *call, double weight)
{
    const uint64_t origin = record->rank.blocks ? record->block[0]->phases.origin : 0;
    const double tick = record->rank.seconds_per_tick, enter = (double)(int64_t)(call->enter - origin) * tick;
    pile_add_phase(pile, record, job.rank, PHASE_SPLIT, enter, enter + call->duration, weight);
    pile_add_phase(pile, record, job.rank, PHASE_WAIT, enter, enter + call->wait, weight);
    if (call->wait > 0)
        pile_add_phase(pile, record, call->who, PHASE_CAUSED, enter, enter + call->wait, weight);
}

void waits_add_results(struct pile *pile, const struct calls *calls)
{
    struct pile_wait *cells = malloc(CELLS * sizeof *cells);   /* not static: the image is part of what each rank pays all the time */
    size_t count = 0;
    if (!cells)
        return;
    for (size_t i = 0; i < calls->count; i++) {
        struct pile_wait *cell = cell_of(cells, &count, calls->rows[i].key);
        if (cell)
            add_to_cell(cell, &calls->rows[i]);
    }
    find_after(cells, count, calls);
    add_totals(cells, count);
    for (size_t i = 0; i < calls->count; i++) {
        const struct call *call = &calls->rows[i];
        const struct pile_wait *cell = cell_of(cells, &count, call->key);
        if (cell)
            add_to_phases(pile, call, scale_of(cell) / call->probability);
        if (cell && call->wait > 0)
            waits_add_lateness(pile, call->who, (unsigned)(call->key >> 16) & 0xFF, 0, 0, call->wait / call->probability * scale_of(cell));
    }
    for (size_t i = 0; i < count; i++) {
        if (cells[i].propagated < 0)
            cells[i].propagated = 0;
        if (cells[i].handed_on < 0)
            cells[i].handed_on = 0;
        heap_add(pile, &pile->waits, sizeof *cells, &cells[i]);
    }
    free(cells);
}
