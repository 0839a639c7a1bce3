#define _GNU_SOURCE
#include "lock_waits.h"
#include "exchange.h"
#include "job.h"
#include "locks.h"
#include "slices.h"
#include "windows.h"
#include <math.h>
#include <stdlib.h>

enum { TAG_LOCKS = 7, TAG_ANSWERS = 8, MOST_ROWS = 1 << 18, FEWEST_ROWS = 8 };

/* Of all ranks the least: minus the level of slices that are kept, of each width, minus the error
 * of clocks in millionths of a slice, and in nanoseconds, and whether one has locked for itself
 * alone. */
enum agreed { LEVEL, SKEW = LEVEL + WIDTHS, ERROR, EXCLUSIVE, AGREED };
enum { NONE_LOCKED = 1 };

struct rows {
    struct lock_row *rows;
    size_t count, room;
    const struct reservoir *locks;
    unsigned level, wider;
    const struct clock_map *map;
};

static int at_level(const struct sample *sample, unsigned level)
{
    return sample->chosen <= slices_chosen(level);
}

/* The level from which on this rank has no more rows than its part of what a target can hold if all
 * go to one. */
static unsigned own_level(const struct reservoir *locks)
{
    const struct sample *samples = &record->samples[locks->first];
    const uint32_t part = (uint32_t)(MOST_ROWS / job.size),
                   most = part > FEWEST_ROWS ? part : FEWEST_ROWS;
    unsigned level = locks->lost ? SLICE_LEVELS + 1 : slices_asked(locks->threshold);
    for (uint32_t kept = most + 1; kept > most && level <= SLICE_LEVELS; level += kept > most) {
        kept = 0;
        for (uint32_t i = 0; i < locks->count; i++)
            kept += at_level(&samples[i], level);
    }
    return level;
}

/* Not less; 0 stays. */
static int millionths(double value)
{
    return value <= 0 ? 0 : value < 1000 ? (int)(value * 1e6) + 1 : 1000000000;
}

/* 0: nobody has locked for itself alone, or it cannot be told. */
static int agree(const struct clock_map *map, int agreed[AGREED], int *only_shared)
{
    const struct reservoir *locks = &record->reservoirs[RESERVOIR_LOCKS];
    const int locked = locks[NARROW].count || locks[WIDE].count || locks[NARROW].lost ||
                       locks[WIDE].lost || window_locks_memory();
    int own[AGREED] = { [SKEW] = -millionths(map->skew),
                        [ERROR] = -millionths(map->error * 1e3),
                        [EXCLUSIVE] = -locks_exclusive() };
    for (int width = NARROW; width < WIDTHS; width++)
        own[LEVEL + width] = locked ? -(int)own_level(&locks[width]) : NONE_LOCKED;
    const int all_say = job_allreduce_min(own, agreed, AGREED, MPI_INT) == MPI_SUCCESS;
    *only_shared = all_say && agreed[EXCLUSIVE] == 0;
    return all_say && agreed[LEVEL] != NONE_LOCKED && !*only_shared;
}

/* The width of which a larger share is kept, edges left out; all ranks find the same. The level of
 * the other one may be higher than any. */
static int choose_width(const int agreed[AGREED], double *skew)
{
    const double narrow = -1e-6 * agreed[SKEW], wide = narrow / (1 << WIDER);
    const int is_wide = ldexp(1 - 4 * wide, agreed[LEVEL + WIDE]) >
                        (narrow < 0.25 ? ldexp(1 - 4 * narrow, agreed[LEVEL + NARROW]) : 0);
    *skew = is_wide ? wide : narrow;
    return is_wide ? WIDE : NARROW;
}

static void add(struct rows *rows, const struct lock_row *row)
{
    if (rows->count == rows->room) {
        struct lock_row *larger = realloc(rows->rows, (2 * rows->room + 64) * sizeof *larger);
        if (!larger)
            return;
        rows->rows = larger;
        rows->room = 2 * rows->room + 64;
    }
    rows->rows[rows->count++] = *row;
}

static int asks(const struct sample *sample, const struct rows *rows)
{
    return sample->role & ROLE_WAITS &&
           slices_touch(sample->key, (uint64_t)lock_waits_place(sample->enter, rows->wider),
                        (uint64_t)lock_waits_place(sample->exit, rows->wider), rows->level);
}

static void add_sample(struct rows *rows, const struct sample *sample, uint32_t place)
{
    const int target = (int)(sample->members & ~SAMPLE_PAIR), every = target == EVERY_TARGET;
    struct lock_row row = { .peer = every ? 0 : target,
                            .place = place,
                            .key = sample->key,
                            .before =
                                sample->post ? wait_time_at(rows->map, sample->post) : -INFINITY,
                            .enter =
                                sample->exit ? wait_time_at(rows->map, sample->enter) : INFINITY,
                            .exit = sample->exit ? wait_time_at(rows->map, sample->exit) : INFINITY,
                            .gives_back = (sample->role & ROLE_POSTS) != 0,
                            .shares = sample->check & 1,
                            .asks = (uint8_t)asks(sample, rows),
                            .within = (sample->role & ROLE_SENDS) != 0 };
    if (!at_level(sample, rows->level))
        return;
    for (int left = every ? sample->check >> TARGET_BITS : 1; left > 0; left--, row.peer++)
        add(rows, &row);
}

/* Of windows that were not freed it is told when this rank gave a lock back for the last time. */
static void add_window(struct communicator *window, void *with)
{
    struct rows *rows = with;
    for (int target = 0; window->locks && target < window->size; target++)
        for (int shares = 0; shares < 2; shares++) {
            const struct held *held = &window->locks->of[target];
            const int peer = held->given[shares] ? lock_target(window, target) : -1;
            if (peer >= 0)
                add(rows,
                    &(struct lock_row){ .peer = peer,
                                        .key = window->locks->key,
                                        .before = wait_time_at(rows->map, held->given[shares]),
                                        .enter = INFINITY,
                                        .exit = INFINITY,
                                        .gives_back = 1,
                                        .shares = (uint8_t)shares });
        }
}

static void add_own(struct rows *rows)
{
    for (uint32_t i = 0; i < rows->locks->count; i++)
        add_sample(rows, &record->samples[rows->locks->first + i], rows->locks->first + i);
    windows_each(add_window, rows);
}

/* As the target of others. */
static struct came answer_all(struct lock_row *rows, size_t count)
{
    struct lock_answer *answers = malloc((count + 1) * sizeof *answers);
    const size_t told = answers ? locks_settle(rows, count, answers) : 0;
    const struct came came = exchange(answers, told, sizeof *answers, TAG_ANSWERS);
    free(answers);
    return came;
}

struct lock_waits lock_waits_find(const struct clock_map *map)
{
    int agreed[AGREED];
    double skew;
    struct lock_waits found = { .answers = NULL };
    if (!agree(map, agreed, &found.only_shared))
        return found;
    const int width = choose_width(agreed, &skew);
    struct rows own = { NULL,
                        0,
                        0,
                        &record->reservoirs[RESERVOIR_LOCKS + width],
                        (unsigned)-agreed[LEVEL + width],
                        (unsigned)(width * WIDER),
                        map };
    if (own.level > SLICE_LEVELS)
        return found;
    add_own(&own);
    struct came asked = exchange(own.rows, own.count, sizeof *own.rows, TAG_LOCKS),
                told = answer_all(asked.rows, asked.count);
    free(own.rows);
    free(asked.rows);
    return (struct lock_waits){ told.rows, told.count, own.level,
                                own.wider, 2 * skew,   -2e-9 * agreed[ERROR],
                                0 };
}
