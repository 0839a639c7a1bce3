/* What this rank waited, and for whom. The ranks put their samples together over a binomial tree: keys that all members have
 * given are complete and go no further up; on the way down each rank hears of the keys it had given. */
#define _GNU_SOURCE
#include "waits.h"
#include "clock.h"
#include "lifecycle.h"
#include "matching.h"
#include "operations.h"
#include "pairs.h"
#include "phases.h"
#include "tracing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 1 << 16, LEVELS = 31, CELLS = 512 };

static double at(const struct clock_map *map, uint64_t ticks)
{
    return (double)(int64_t)(ticks - map->first) * map->rate + map->shift;
}

static double probability_of(const struct sample *sample, const struct reservoir *reservoirs)
{
    const uint32_t place = (uint32_t)(sample - record->samples);
    int i = RESERVOIR_WORLD;
    while (i < RESERVOIR_MESSAGES && place >= reservoirs[i + 1].first)
        i++;
    return sample_probability(&reservoirs[i], sample);
}

/* Those that cannot leave before the last one has come tell whether the times make sense. */
static int must_stay(unsigned role) { return (role & ROLE_WAITS) && !(role & (ROLE_SENDS | ROLE_BOUND)); }

static uint32_t before_of(const struct sample *sample) { return sample->members & SAMPLE_PAIR || sample->check < 0 ? 0 : (uint32_t)sample->check >> BEFORE; }

static struct met met_of(const struct sample *sample, const struct clock_map *map)
{
    const uint32_t before = before_of(sample);
    return (struct met){ .key = sample->key, .members = sample->members & SAMPLE_PAIR ? 2 : sample->members, .seen = 1,
        .check = before ? sample->check & ((1 << BEFORE) - 1) : sample->check, .before = before,
        .late = sample->role & ROLE_POSTS ? at(map, sample->post) : -INFINITY, .who = sample->role & ROLE_POSTS ? job.rank : -1,
        .gap = sample->role & ROLE_POSTS ? sample->gap * (float)map->rate : 0,
        .first_exit = must_stay(sample->role) ? at(map, sample->exit) : INFINITY,
        .probability = (float)probability_of(sample, record->reservoirs), .hosts = (uint32_t)job.node + 1 };
}

/* Of the time in a call that completes a request: after the last one had posted its part data could move, and this rank did something else
 * until it called. What it then still took could have been over, at most. */
static double hideable_of(double late, double enter, double exit)
{
    const double before = enter - late, within = exit - (late > enter ? late : enter), least = before < within ? before : within;
    return least > 0 ? least : 0;
}

typedef void visit(const struct sample *sample, void *with);

static void each_sample(visit *visit, void *with)
{
    for (int i = RESERVOIR_WORLD; i < RESERVOIRS; i++)
        for (uint32_t k = 0; k < record->reservoirs[i].count; k++)
            visit(&record->samples[record->reservoirs[i].first + k], with);
}

/* What goes up the tree, and what goes straight to the other end of a message. */
struct own { struct met_list list; struct pair *pairs; size_t messages; const struct clock_map *map; };

static void add_own(const struct sample *sample, void *with)
{
    struct own *own = with;
    const struct met met = met_of(sample, own->map);
    const int peer = sample->members & SAMPLE_PAIR ? (int)(sample->members & ~SAMPLE_PAIR) : job.rank;
    if (peer != job.rank && own->pairs)
        own->pairs[own->messages++] = (struct pair){ met, peer };
    else
        own->list.rows[own->list.count++] = met;
}

static int receive(int from, struct met_list *list)
{
    size_t size = 0;
    list->rows = (struct met *)job_receive(from, &size);
    list->count = list->room = list->rows ? size / sizeof *list->rows : 0;
    return list->rows != NULL;
}

static void send(const struct met_list *list, int to) { job_send(list->rows, list->count * sizeof *list->rows, to); }

/* Keys are hashes: leaving out the last ones leaves out any, and keeps the sample fair. */
static void bound(struct met_list *list)
{
    if (list->count > MOST_KEYS)
        list->count = MOST_KEYS;
}

/* Up: what is not complete goes to the parent; afterwards `known` holds what this rank and its children can know. */
static void climb(struct met_list *open, struct met_list *known, struct met_list from_child[LEVELS])
{
    int level = 0;
    for (int distance = 1; distance < job.size && level < LEVELS; distance *= 2, level++) {
        if (job.rank & distance) {
            struct met_list told;
            bound(open);
            send(open, job.rank - distance);
            if (receive(job.rank - distance, &told))
                met_add(known, &told);
            free(told.rows);
            break;
        }
        if (job.rank + distance < job.size && receive(job.rank + distance, &from_child[level])) {
            met_add(open, &from_child[level]);
            met_part(open, known);
        }
    }
    while (level-- > 0)
        if (job.rank + (1 << level) < job.size) {
            struct met_list told = met_select(known, &from_child[level]);
            send(&told, job.rank + (1 << level));
            free(told.rows);
            free(from_child[level].rows);
        }
}

/* One call of this rank in which it may have waited, and of which all members are known. */
struct call { uint64_t key, enter, exit; double wait, unresolved, duration, probability, hideable, propagated; int32_t who; uint8_t whole; uint16_t after; };
struct calls { struct call *rows; size_t count; const struct met_list *known; const struct clock_map *map; uint64_t lost; };

/* Of a wait, what was there already when both this rank and those that it waited for left their previous call, among the same members: nobody could leave
 * that one before all had come, so that without such calls the rank would wait for the difference of the gaps only.
 * Of a collective call the difference is exact, and what a rank would wait more than it did is taken off; a sender may have left early, and then the
 * difference is the most that it can be. */
static double propagated_of(const struct sample *sample, const struct met *met, double wait, double rate)
{
    if (!isfinite(met->gap) || !isfinite(sample->gap) || sample->role & ROLE_SENDS)
        return 0;
    const double without = (double)met->gap - (double)sample->gap * rate, rest = wait - (without > 0 ? without : 0);
    return sample->members & SAMPLE_PAIR && rest < 0 ? 0 : rest;
}

/* The operation before, if it was another one. */
static uint16_t after_of(const struct sample *sample, const struct met *met)
{
    return isfinite(met->gap) && isfinite(sample->gap) && met->before != (sample->event & 0xFFFF) ? (uint16_t)met->before : 0;
}

static uint64_t event_key_of(const struct sample *sample) { return (uint64_t)sample->event | (uint64_t)sample->communicator << 32; }

static void add_call(const struct sample *sample, void *with)
{
    struct calls *calls = with;
    const struct met *met = met_find(calls->known, sample->key);
    const double tolerance = 2 * calls->map->error;
    if (!met || !met_is_sound(met, tolerance) || !(met->probability > 0)) {
        if (sample->role & ROLE_WHOLE)   /* to leave out what else is known of the call */
            calls->rows[calls->count++] = (struct call){ .key = event_key_of(sample), .enter = sample->enter, .whole = 1 };
        else
            calls->lost++;
        return;
    }
    double enter = at(calls->map, sample->enter), exit = at(calls->map, sample->exit), wait = met->late - enter;
    /* Who gives only, such as the root of a broadcast, was sampled all the same: a call without waiting. */
    if (wait < 0 || !(sample->role & ROLE_WAITS) || ((sample->role & ROLE_SENDS) && exit < met->late))
        wait = 0;
    if (wait > exit - enter)
        wait = exit - enter;
    /* Between hosts, what is shorter than twice the error of the clocks cannot be told from nothing: METRICS 1. */
    double unresolved = met->hosts == UINT32_MAX && wait < tolerance ? wait : 0;
    calls->rows[calls->count++] = (struct call){ event_key_of(sample), sample->enter, sample->exit, wait - unresolved, unresolved, exit - enter,
        met->probability, sample->role & ROLE_SHARED && isfinite(met->late) ? hideable_of(met->late, enter, exit) : 0,
        unresolved > 0 ? 0 : propagated_of(sample, met, wait, calls->map->rate), met->who,
        sample->role & ROLE_WHOLE ? 1 : 0, after_of(sample, met) };
}

static int compare_calls(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    if (a->enter != b->enter)
        return a->enter < b->enter ? -1 : 1;
    if (a->wait != b->wait)
        return a->wait < b->wait ? 1 : -1;
    return (a->hideable > b->hideable) - (a->hideable < b->hideable);   /* the one that could begin last */
}

/* Of which not all samples are known: nobody knows how long they waited. */
static void leave_out_partial(struct calls *calls)
{
    size_t kept = 0;
    for (size_t i = 0; i < calls->count; i++)
        if (calls->rows[i].probability > 0)
            calls->rows[kept++] = calls->rows[i];
    calls->lost += calls->count - kept;
    calls->count = kept;
}

/* Samples of one call, such as the messages of one MPI_Waitall: it waited for the last of them. */
static void one_row_a_call(struct calls *calls)
{
    size_t kept = 0;
    if (calls->count)
        qsort(calls->rows, calls->count, sizeof *calls->rows, compare_calls);
    for (size_t i = 0; i < calls->count; i++)
        if (!kept || calls->rows[kept - 1].enter != calls->rows[i].enter)
            calls->rows[kept++] = calls->rows[i];
        else if (calls->rows[i].whole && calls->rows[i].probability < calls->rows[kept - 1].probability)
            calls->rows[kept - 1].probability = calls->rows[i].probability;
    calls->count = kept;
    leave_out_partial(calls);
}

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

static void add_lateness(struct pile *pile, int rank, unsigned class, double instances, double last, double caused)
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

static void add_results(struct pile *pile, const struct calls *calls)
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
            add_lateness(pile, call->who, (unsigned)(call->key >> 16) & 0xFF, 0, 0, call->wait / call->probability * scale_of(cell));
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

struct lateness { struct pile *pile; const struct met_list *known; const struct clock_map *map; };

/* How often this rank was the last, of the instances in which others may wait for it. */
static void add_last(const struct sample *sample, void *with)
{
    const struct lateness *lateness = with;
    const struct met *met = met_find(lateness->known, sample->key);
    if (!met || !(sample->role & ROLE_POSTS) || sample->role & ROLE_UNRANKED || sample->members < 2 || !met_is_sound(met, 2 * lateness->map->error)
        || !(met->probability > 0))
        return;
    double weight = 1 / (double)met->probability;
    add_lateness(lateness->pile, job.rank, sample->event >> 16 & 0xFF, weight, met->who == job.rank ? weight : 0, 0);
}

static void evaluate(struct pile *pile, const struct met_list *known, const struct clock_map *map)
{
    struct calls calls = { malloc(SAMPLE_ROWS * sizeof *calls.rows), 0, known, map, 0 };
    struct lateness lateness = { pile, known, map };
    if (!calls.rows)
        return;
    each_sample(add_call, &calls);
    one_row_a_call(&calls);
    add_results(pile, &calls);
    each_sample(add_last, &lateness);
    struct pile_rank *own = pile->ranks.rows;
    if (own)
        own->values.unmatched = calls.lost;
    free(calls.rows);
}

static void match_messages(struct own *own, struct met_list *known)
{
    struct met_list mine = { malloc((own->messages + 1) * sizeof *mine.rows), 0, own->messages + 1 }, got = pairs_exchange(own->pairs, own->messages), same;
    for (size_t i = 0; mine.rows && i < own->messages; i++)
        mine.rows[mine.count++] = own->pairs[i].met;
    if (met_sort(&mine) && met_sort(&got) && (same = met_select(&got, &mine)).rows) {
        met_add(&mine, &same);
        met_part(&mine, known);
        free(same.rows);
    }
    free(mine.rows);
    free(got.rows);
}

void waits_find(struct pile *pile)
{
    const struct clock_map map = clocks_map();
    trace_clock(&map);
    struct own own = { { malloc(SAMPLE_ROWS * sizeof(struct met)), 0, SAMPLE_ROWS }, real.Ibarrier ? malloc(SAMPLE_ROWS * sizeof(struct pair)) : NULL, 0, &map };
    struct met_list known = { NULL, 0, 0 }, from_child[LEVELS] = { { NULL, 0, 0 } };
    if (own.list.rows)
        each_sample(add_own, &own);
    if (real.Ibarrier)
        match_messages(&own, &known);
    met_sort(&own.list);
    met_part(&own.list, &known);
    climb(&own.list, &known, from_child);
    evaluate(pile, &known, &map);
    free(own.pairs);
    free(own.list.rows);
    free(known.rows);
}
