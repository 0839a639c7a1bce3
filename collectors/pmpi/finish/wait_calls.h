/* Sampled calls of this rank of which all members are known: how long each waited, and for whom. */
#ifndef ADVISOR_WAIT_CALLS_H
#define ADVISOR_WAIT_CALLS_H

#include "clock_map.h"
#include "pile.h"
#include "matching.h"

/* One call of this rank in which it may have waited, and of which all members are known. `slice`:
 * those of a kind with the same one, next to each other, were chosen together; 0: by itself. */
struct call {
    uint64_t key, enter, exit;
    double wait, unresolved, duration, probability, overlappable, propagated, weight;
    int32_t who;
    uint8_t whole;
    uint16_t after;
    uint64_t slice;
};
struct calls {
    struct call *rows;
    size_t count;
    const struct met_list *known;
    const struct clock_map *map;
    uint64_t lost;
};

/* Seconds of the job's clock. */
static inline double wait_time_at(const struct clock_map *map, uint64_t ticks)
{
    return (double)(int64_t)(ticks - map->first) * map->rate + map->shift;
}

/* To the tables of the pile: `rows` is room for SAMPLE_ROWS, NULL: none; `known` are the keys that
 * all members have given, `locks` what targets have told. */
struct lock_waits;
void waits_evaluate(struct pile *pile, struct call *rows, const struct met_list *known,
                    const struct lock_waits *locks, const struct clock_map *map);

/* One row for each kind of call, its slices of time, and what was waited for whom. */
void waits_add_results(struct pile *pile, const struct calls *calls);
void waits_add_row(struct pile *pile, uint64_t key,
                   struct profile_waits *row); /* of calls of that key by this rank */
void waits_add_lateness(struct pile *pile, int rank, unsigned class, double instances, double last,
                        double delay_cost);

#endif
