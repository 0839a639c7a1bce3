/* One clock for the job. Ranks of one host share a clock: one of them compares it with that of rank
 * 0, when all start and when all end, and tells the others. In between the clocks are taken to run
 * evenly. */
#define _GNU_SOURCE
#include "clocks.h"
#include "clock.h"
#include "job.h"
#include "lock_slices.h"
#include "record.h"
#include <math.h>
#include <stdlib.h>

enum { TAG_CLOCK = 3, EXCHANGES = 10 };

/* One moment on both clocks. `offset`: to be added to the time of day here. All errors are half the
 * quickest round trip. */
struct comparison {
    uint64_t here, there;
    double offset, error;
    uint64_t error_ticks;
};
static struct comparison at_start, at_the_end;

struct reading {
    uint64_t ticks;
    double time;
};

static struct comparison ask(void)
{
    struct comparison best = { 0, 0, 0, 0, UINT64_MAX };
    for (int i = 0; i < EXCHANGES; i++) {
        struct reading sent = { clock_ticks(), clock_epoch() }, theirs = { 0, 0 };
        job_send(&sent, sizeof sent, 0, TAG_CLOCK);
        job_recv(&theirs, sizeof theirs, 0, TAG_CLOCK);
        struct reading back = { clock_ticks(), clock_epoch() };
        uint64_t half = (back.ticks - sent.ticks) / 2;
        if (half < best.error_ticks)
            best = (struct comparison){ sent.ticks + half, theirs.ticks,
                                        theirs.time - (sent.time + back.time) / 2,
                                        (back.time - sent.time) / 2, half };
    }
    return best;
}

static void answer(int rank)
{
    for (int i = 0; i < EXCHANGES; i++) {
        struct reading now;
        job_recv(&now, sizeof now, rank, TAG_CLOCK);
        now = (struct reading){ clock_ticks(), clock_epoch() };
        job_send(&now, sizeof now, rank, TAG_CLOCK);
    }
}

static void answer_all(void)
{
    uint8_t *met = calloc((size_t)job.nodes, 1);
    for (int i = 1; met && i < job.size; i++)
        if (job.node_of[i] && !met[job.node_of[i]]) {
            met[job.node_of[i]] = 1;
            answer(i);
        }
    free(met);
}

void clocks_compare(int at_end)
{
    struct comparison *made = at_end ? &at_the_end : &at_start;
    int leader = 0;
    *made = (struct comparison){ 0 };
    if (job.nodes < 2)
        return;
    while (job.node_of[leader] != (uint32_t)job.node)
        leader++;
    if (job.rank == 0)
        answer_all();
    if (job.node && job.rank == leader)
        *made = ask();
    for (int i = leader + 1; job.rank == leader && i < job.size; i++)
        if (job.node_of[i] == (uint32_t)job.node)
            job_send(made, sizeof *made, i, TAG_CLOCK);
    if (job.rank != leader)
        job_recv(made, sizeof *made, leader, TAG_CLOCK);
    if (at_end) {
        record->rank.clock_offset = made->offset;
        record->rank.clock_error = at_start.error > made->error ? at_start.error : made->error;
    } else {
        locks_start(made->offset);
    }
}

/* What all ranks take from rank 0: the origin of the job's clock, how long a tick there is, and the
 * slice at the origin. */
struct standard {
    uint64_t first;
    double tick, slice;
};

static struct standard tell_standard(void)
{
    struct standard standard = { record->rank.origin_ticks, record->rank.seconds_per_tick,
                                 locks_place(record->rank.origin_ticks) };
    if (job_bcast(&standard, sizeof standard) != MPI_SUCCESS)
        standard.tick = 0;
    return standard;
}

static double skew_at(const struct clock_map *map, const struct standard *standard, uint64_t ticks)
{
    const double time = (double)(int64_t)(ticks - map->first) * map->rate + map->shift;
    return fabs(locks_place(ticks) - standard->slice - time / locks_width());
}

/* It drifts evenly in between. */
static struct clock_map with_skew(struct clock_map map, const struct standard *standard)
{
    if (locks_width() > 0) {
        const double first = skew_at(&map, standard, map.first),
                     last = skew_at(&map, standard, clock_ticks());
        map.skew = (first > last ? first : last) + map.error / locks_width();
    }
    return map;
}

struct clock_map clocks_map(void)
{
    const struct standard standard = tell_standard();
    if (job.nodes < 2 || !job.node)
        return with_skew((struct clock_map){ standard.tick, 0, 0, standard.first, 0 }, &standard);
    double here = (double)(at_the_end.here - at_start.here),
           there = (double)(at_the_end.there - at_start.there);
    double rate = here > 0 ? there / here : 1;
    return with_skew(
        (struct clock_map){ rate * standard.tick,
                            ((double)(int64_t)(at_start.there - standard.first)) * standard.tick,
                            record->rank.clock_error, at_start.here, 0 },
        &standard);
}
