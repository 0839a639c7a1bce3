/* What this rank waited, and for whom. The ranks put their samples together over a binomial tree: keys that all members have
 * given are complete and go no further up; on the way down each rank hears of the keys it had given. */
#define _GNU_SOURCE
#include "waits.h"
#include "lock_waits.h"
#include "overlap.h"
#include "pairs.h"
#include "tracing.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_KEYS = 1 << 16, LEVELS = 31 };

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
        .check = before ? sample->check & ((1 << BEFORE) - 1) : sample->check, .before = (uint16_t)before, .size = sample->members & SAMPLE_PAIR ? sample->cycle : 0,
        .late = sample->role & ROLE_POSTS ? wait_time_at(map, sample->post) : -INFINITY, .who = sample->role & ROLE_POSTS ? job.rank : -1,
        .gap = sample->role & ROLE_SHARED ? INFINITY : sample->role & ROLE_POSTS ? sample->gap * (float)map->rate : 0,
        .first_exit = must_stay(sample->role) ? wait_time_at(map, sample->exit) : INFINITY,
        .probability = (float)probability_of(sample, record->reservoirs), .hosts = (uint32_t)job.node + 1 };
}

void waits_each_sample(visit *visit, void *with)
{
    for (int i = RESERVOIR_WORLD; i <= RESERVOIR_MESSAGES; i++)
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
        own->pairs[own->messages++] = (struct pair){ peer, met };
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
        waits_each_sample(add_own, &own);
    if (real.Ibarrier)
        match_messages(&own, &known);
    met_sort(&own.list);
    met_part(&own.list, &known);
    climb(&own.list, &known, from_child);
    struct lock_waits locks = lock_waits_find(&map);
    waits_evaluate(pile, &known, &locks, &map);
    overlap_find(pile, &known, &map);
    free(locks.answers);
    free(own.pairs);
    free(own.list.rows);
    free(known.rows);
}
