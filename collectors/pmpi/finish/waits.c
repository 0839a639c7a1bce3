/* What this rank waited, and for whom. The ranks put their samples together over a binomial tree:
 * keys that all members have given are complete and go no further up; on the way down each rank
 * hears of the keys it had given. */
#define _GNU_SOURCE
#include "waits.h"
#include "clocks.h"
#include "exchange.h"
#include "job.h"
#include "lock_waits.h"
#include "operations.h"
#include "overlap.h"
#include "tracing.h"
#include "samples_by_time.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_KEYS = 1 << 16, LEVELS = 31, TAG_PAIRS = 6 };

static double probability_of(const struct sample *sample, const struct reservoir *reservoirs)
{
    const uint32_t place = (uint32_t)(sample - record->samples);
    int i = RESERVOIR_WORLD;
    while (i < RESERVOIR_LONG_MESSAGES && place >= reservoirs[i + 1].first)
        i++;
    const double here = sample_probability(&reservoirs[i], sample),
                 among_all = i == RESERVOIR_LONG_MESSAGES
                                 ? sample_probability(&reservoirs[RESERVOIR_MESSAGES], sample)
                                 : 0;
    return here > among_all ? here : among_all;
}

/* Those that cannot leave before the last one has come tell whether the times make sense. */
static int must_stay(unsigned role)
{
    return (role & ROLE_WAITS) && !(role & (ROLE_SENDS | ROLE_BOUND));
}

static uint32_t before_of(const struct sample *sample)
{
    return sample->members & SAMPLE_PAIR || sample->check < 0 ? 0
                                                              : (uint32_t)sample->check >> BEFORE;
}

/* When who had posted a receive was in MPI again; -INFINITY: not known, or it was there all the
 * time. */
static double back_of(const struct sample *sample, const struct clock_map *map)
{
    if (!(sample->members & SAMPLE_PAIR) || !(sample->role & ROLE_SHARED) ||
        sample->role & ROLE_SENDS || !sample->communicator)
        return -INFINITY;
    const double post = wait_time_at(map, sample->post), enter = wait_time_at(map, sample->enter);
    return post + (enter - post) * sample->communicator / SAMPLE_BACK;
}

/* Whom data goes to in a call with a root, of those that end in it. */
static int takes(const struct sample *sample)
{
    const unsigned part = operation_parts[key_operation(sample->event)];
    return !(sample->members & SAMPLE_PAIR) && sample->role & ROLE_WAITS &&
           (part == PART_FROM_ROOT || (part & ~PART_VARIES) == PART_TO_ROOT);
}

static struct met met_of(const struct sample *sample, const struct clock_map *map)
{
    const uint32_t before = before_of(sample);
    return (struct met){
        .key = sample->key,
        .members = sample->members & SAMPLE_PAIR ? 2 : sample->members,
        .seen = 1,
        .check = before ? sample->check & ((1 << BEFORE) - 1) : sample->check,
        .before = (uint16_t)before,
        .size = sample->members & SAMPLE_PAIR ? sample->cycle : 0,
        .late = sample->role & ROLE_POSTS ? wait_time_at(map, sample->post) : -INFINITY,
        .who = sample->role & ROLE_POSTS ? job.rank : -1,
        .taker = job.rank,
        .back = takes(sample) ? wait_time_at(map, sample->enter) : back_of(sample, map),
        .gap = sample->role & ROLE_SHARED  ? INFINITY
               : sample->role & ROLE_POSTS ? sample->gap * (float)map->rate
                                           : 0,
        .first_exit = must_stay(sample->role) ? wait_time_at(map, sample->exit) : INFINITY,
        .probability = (float)probability_of(sample, record->reservoirs),
        .hosts = (uint32_t)job.node + 1
    };
}

/* What goes straight to the other end of a message: on their way up and down the tree the lists of
 * all ranks would get as long as there are ranks. */
struct pair {
    int peer;
    struct met met;
};
_Static_assert(sizeof(struct pair) <= sizeof(struct call), "the same memory");
struct own {
    struct met_list list;
    struct pair *pairs;
    size_t messages;
    const struct clock_map *map;
};

static void add_own(const struct sample *sample, void *with)
{
    struct own *own = with;
    const struct met met = met_of(sample, own->map);
    const int peer =
        sample->members & SAMPLE_PAIR ? (int)(sample->members & ~SAMPLE_PAIR) : job.rank;
    if (peer != job.rank && own->pairs)
        own->pairs[own->messages++] = (struct pair){ peer, met };
    else
        met_add(&own->list, &met);
}

static struct met *receive(int from, size_t *count)
{
    size_t size = 0;
    struct met *rows = (struct met *)job_recv_bytes(from, &size);
    *count = rows ? size / sizeof *rows : 0;
    return rows;
}

/* What a child has sent, and what it is told of it in its place. */
struct child {
    struct met *rows;
    size_t count;
};

static void ask_parent(struct met_list *list, int parent)
{
    size_t count;
    struct met *rows = met_open(list, MOST_KEYS, &count);
    job_send_bytes(rows, count * sizeof *rows, parent);
    if (rows != list->rows)
        free(rows);
    rows = receive(parent, &count);
    met_learn(list, rows, count);
    free(rows);
}

/* Up: what is not over goes to the parent; afterwards the list holds what this rank and its
 * children can know. */
static void climb(struct met_list *list)
{
    struct child children[LEVELS];
    int level = 0;
    for (int distance = 1; distance < job.size && level < LEVELS; distance *= 2, level++) {
        struct child *child = &children[level];
        *child = (struct child){ NULL, 0 };
        if (job.rank & distance) {
            ask_parent(list, job.rank - distance);
            break;
        }
        if (job.rank + distance < job.size)
            child->rows = receive(job.rank + distance, &child->count);
        for (size_t i = 0; i < child->count; i++)
            met_add(list, &child->rows[i]);
    }
    while (level-- > 0)
        if (job.rank + (1 << level) < job.size) {
            const size_t known = met_answer(list, children[level].rows, children[level].count);
            job_send_bytes(children[level].rows, known * sizeof(struct met),
                           job.rank + (1 << level));
            free(children[level].rows);
        }
}

/* Of messages of which the other end has kept nothing, or too little, nobody will know. */
static void match_messages(struct own *own)
{
    struct met *mine;
    for (size_t i = 0; i < own->messages; i++)
        met_add(&own->list, &own->pairs[i].met);
    const struct came came = exchange(own->pairs, own->messages, sizeof *own->pairs, TAG_PAIRS);
    const struct pair *rows = came.rows;
    for (size_t i = 0; i < came.count; i++)
        if ((mine = met_find(&own->list, rows[i].met.key)))
            met_unite(mine, &rows[i].met);
    free(came.rows);
}

void waits_find(struct merged *merged)
{
    const struct clock_map map = clocks_map();
    struct own own = { .map = &map };
    struct call *calls = malloc(SAMPLE_ROWS * sizeof *calls);
    size_t samples = 0;
    trace_clock(&map);
    for (int i = RESERVOIR_WORLD; i <= RESERVOIR_LONG_MESSAGES; i++)
        samples += record->reservoirs[i].count;
    own.pairs = real.Ibarrier ? (struct pair *)calls
                              : NULL; /* the same memory: a page that is touched for the first time
                                         takes longer than what is done with it */
    if (met_reserve(&own.list, samples))
        samples_by_time(add_own, &own);
    climb(&own.list);
    if (real.Ibarrier)
        match_messages(&own);
    struct lock_waits locks = lock_waits_find(&map);
    waits_evaluate(merged, calls, &own.list, &locks, &map);
    overlap_find(merged, &own.list, &map);
    free(locks.answers);
    free(calls);
    met_free(&own.list);
}
