/* Ranks that take turns with locks of a few targets, simulated: what the collector's samples tell
 * of each call, in the slices of time that are kept, against what is true of it.
 *
 * PUT_OFF: 0, who asks for a lock waits for it; 1, who gives it back does; 2, a flush in between
 * does. Usage: locking RANKS CALLS ROOM PUT_OFF SEED      output: calls TOLD of ALL, of those told
 * WRONG, true and estimated wait in s, share of the time that is kept */
#include "locking.h"
#include "slices.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS = 3, WIDTH = 100 }; /* a slice, in ticks of 1 us */
static const double TICK = 1e-6;

struct rank {
    double now;
    struct reservoir reservoir;
    struct sample *samples;
    uint64_t given[TARGETS][2];
};
struct target {
    double free, exclusive;
}; /* since when nobody has it, and nobody alone */
struct call {
    struct lock_row row;
    uint64_t first, last;
};

static uint64_t state = 1;

static double chance(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 11) / (double)(1ull << 53);
}

static uint64_t slice_of(double time)
{
    return (uint64_t)time / WIDTH;
}

/* What the collector does after each call: pmpi/onesided/locks.c. */
static void sample(struct rank *rank, const struct lock_row *row, uint32_t place)
{
    uint64_t last = slice_of(row->exit), first = slice_of(!row->gives_back  ? row->enter
                                                          : row->before > 0 ? row->before
                                                                            : 0);
    struct sample kept = { .key = row->key, .enter = place };
    if (!slices_touch(row->key, first, last, slices_asked(rank->reservoir.threshold)))
        return;
    kept.chosen = slices_chosen(slices_level(row->key, first, last));
    sample_add(&rank->reservoir, rank->samples, &kept);
}

/* In slices of the level. */
static double waited(const struct lock_row *row, double late, unsigned level, double *all)
{
    double sum = 0;
    *all = 0;
    for (uint64_t slice = slice_of(row->enter); slice <= slice_of(row->exit); slice++)
        if (slice_level(row->key, slice) >= level) {
            const double from = fmax(row->enter, (double)(slice * WIDTH)),
                         to = fmin(row->exit, (double)((slice + 1) * WIDTH));
            *all += to - from;
            sum += fmax(0, fmin(to, late) - from);
        }
    return sum;
}

/* When the last of those that it waits for began to give back; of a flush it is what let it go. */
static double truth(const struct lock_row *rows, size_t count, const double *lates,
                    const struct lock_row *of)
{
    double late = -INFINITY;
    if (of->within)
        return lates[of - rows];
    for (size_t i = 0; i < count; i++)
        if (rows[i].gives_back && rows[i].key == of->key && rows[i].peer != of->peer &&
            !(rows[i].shares && of->shares) &&
            (of->gives_back ? rows[i].exit : rows[i].enter) < of->exit)
            late = fmax(late, rows[i].enter);
    return late;
}

/* One epoch. Holders let go when they begin to unlock. No two calls return at the same time: which
 * had the lock first nobody could tell. */
static void epoch(struct rank *ranks, int at, struct target *targets, int put_off,
                  struct lock_row *rows, double *lates, size_t *count)
{
    struct rank *rank = &ranks[at];
    const int t = (int)(chance() * TARGETS), shares = chance() < 0.3;
    const uint64_t key = 0x9E3779B97F4A7C15ull * (uint64_t)(t + 1);
    double begin = rank->now,
           ready = floor(fmax(begin, (shares ? targets[t].exclusive : targets[t].free) + 2)),
           hold = floor(1 + chance() * (chance() < 0.05 ? 3000 : 30));
    const double flushing = begin + 1 + floor(hold / 2),
                 flushed = fmax(flushing, ready) + 1 + 9 * floor(4 * chance()) / 4,
                 late = shares ? targets[t].exclusive : targets[t].free;
    double entered = begin, locked = put_off ? begin + 1 : ready + 1,
           unlocking = (put_off == 2 ? flushed : locked) + hold;
    const double unlocked = put_off == 1 ? fmax(unlocking, ready) + 3 + 9 * chance()
                                         : unlocking + 2 + chance() / 2,
                 over = put_off == 1 ? unlocked - 1 : unlocking;
    targets[t].free = fmax(targets[t].free, over);
    targets[t].exclusive = shares ? targets[t].exclusive : over;
    rows[(*count)++] =
        (struct lock_row){ at, 0, key, -INFINITY, entered, locked, 0, (uint8_t)shares, 1 };
    sample(rank, &rows[*count - 1], (uint32_t)*count - 1);
    if (put_off == 2) {
        lates[*count] = late;
        rows[(*count)++] =
            (struct lock_row){ at, 0, key, -INFINITY, flushing, flushed, 0, (uint8_t)shares, 1, 1 };
        sample(rank, &rows[*count - 1], (uint32_t)*count - 1);
    }
    const double before = rank->given[t][shares] ? (double)rank->given[t][shares] : -INFINITY;
    rows[(*count)++] =
        (struct lock_row){ at, 0, key, before, unlocking, unlocked, 1, (uint8_t)shares, 1 };
    sample(rank, &rows[*count - 1], (uint32_t)*count - 1);
    rank->given[t][shares] = (uint64_t)unlocking;
    rank->now = floor(unlocked) + floor(2 + chance() * (chance() < 0.02 ? 5000 : 40));
}

static int earliest(const struct rank *ranks, int count)
{
    int first = 0;
    for (int i = 1; i < count; i++)
        first = ranks[i].now < ranks[first].now ? i : first;
    return first;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 3, put_off = atoi(argv[4]);
    const size_t all = (size_t)atol(argv[2]);
    struct rank *ranks = calloc((size_t)count, sizeof *ranks);
    struct target targets[TARGETS] = { { 0, 0 } };
    struct lock_row *rows = calloc(all + 3, sizeof *rows),
                    *kept = calloc(all + 3 + (size_t)count * 2 * TARGETS, sizeof *kept);
    struct lock_answer *answers = calloc(all + 3, sizeof *answers);
    double *lates = calloc(all + 3, sizeof *lates);
    size_t made = 0, sent = 0;
    unsigned level = 0;
    state = (uint64_t)atol(argv[5]) * 77777;
    for (int i = 0; i < count; i++)
        ranks[i] = (struct rank){ .now = 1000 + i,
                                  .reservoir = { .threshold = UINT64_MAX,
                                                 .room = (uint32_t)atol(argv[3]) },
                                  .samples = calloc((size_t)atol(argv[3]), sizeof(struct sample)) };
    while (made < all)
        epoch(ranks, earliest(ranks, count), targets, put_off, rows, lates, &made);
    for (int i = 0; i < count; i++)
        level = slices_asked(ranks[i].reservoir.threshold) > level
                    ? slices_asked(ranks[i].reservoir.threshold)
                    : level;
    for (int i = 0; i < count; i++)
        for (uint32_t k = 0; k < ranks[i].reservoir.count; k++) {
            const uint32_t place = (uint32_t)ranks[i].samples[k].enter;
            kept[sent] = rows[place];
            kept[sent].place = place;
            kept[sent].asks = (uint8_t)slices_touch(rows[place].key, slice_of(rows[place].enter),
                                                    slice_of(rows[place].exit), level);
            sent += ranks[i].samples[k].chosen <= slices_chosen(level);
        }
    for (int i = 0; i < count; i++)
        for (int t = 0; t < 2 * TARGETS; t++)
            if (ranks[i].given[t / 2][t % 2])
                kept[sent++] = (struct lock_row){ i,
                                                  0,
                                                  0x9E3779B97F4A7C15ull * (uint64_t)(t / 2 + 1),
                                                  (double)ranks[i].given[t / 2][t % 2],
                                                  INFINITY,
                                                  INFINITY,
                                                  1,
                                                  (uint8_t)(t % 2),
                                                  0 };
    const size_t told = locks_settle(kept, sent, answers);
    double estimated = 0, wait = 0, all_of = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < told; i++) {
        const struct lock_row *row = &rows[answers[i].place];
        const double found = waited(row, answers[i].late, level, &all_of);
        wrong += found != waited(row, truth(rows, made, lates, row), level, &all_of);
        estimated += ldexp(found, (int)level) * TICK;
    }
    for (size_t i = 0; i < made; i++)
        wait += waited(&rows[i], truth(rows, made, lates, &rows[i]), 0, &all_of) * TICK;
    printf("told %zu of %zu wrong %zu true %.6f estimated %.6f share %.9f\n", told, made, wrong,
           wait, estimated, ldexp(1, -(int)level));
    return 0;
}
