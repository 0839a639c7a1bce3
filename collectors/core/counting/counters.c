#include "counters.h"
#include "clock.h"
#include "settings.h"
#include "thread.h"
#include <string.h>

enum { INSIDE, OUTSIDE, PARTS };
enum {
    WINDOW_CALLS = 16
}; /* enough that it matters little which of the program's calls a window begins with */
enum reading { READING_OFF, READING_PAUSED, READING_BEFORE_CALL, READING_IN_CALL };

static struct {
    enum reading state;
    int number;
    struct block *block;
    uint64_t start[COUNTER_ROWS], last[COUNTER_ROWS],
        cost[COUNTER_ROWS]; /* cost: of one reading, which counts too */
    uint64_t start_ticks, last_ticks, cost_ticks;
    uint64_t shortest, longest;  /* gaps between windows, ticks */
    uint64_t begin, represented; /* of the window; end of the one before */
    unsigned calls;
    double count[COUNTER_ROWS][PARTS], ticks[PARTS];
    double seconds_per_tick;
    uint64_t random;
} now;

void (*counters_told)(const struct block *block, int count, const uint64_t *values, int at_begin);

void counters_find(void)
{
    const char *wish = setting_counters();
    if (wish && !now.number)
        now.number = counter_sources_open(wish, record->counters, record->rank.missing_counters,
                                          sizeof record->rank.missing_counters);
}

static uint64_t above(uint64_t value, uint64_t cost)
{
    return value > cost ? value - cost : 0;
}

/* The reading at hand. That at the begin of a call waits for its end, when it is known whether the
 * call is kept. */
static void tell(const struct block *block, int at_begin)
{
    uint64_t values[COUNTER_ROWS];
    if (!counters_told)
        return;
    for (int i = 0; i < now.number; i++)
        values[i] = now.last[i] - now.start[i];
    counters_told(block, now.number, values, at_begin);
}

/* What was counted since the last reading belongs to `part`; -1: to none. */
static void read_for(int part)
{
    uint64_t values[COUNTER_ROWS];
    counter_sources_read(values);
    const uint64_t ticks = clock_ticks();
    for (int i = 0; part >= 0 && i < now.number; i++)
        now.count[i][part] += (double)above(values[i] - now.last[i], now.cost[i]);
    if (part == OUTSIDE)
        now.ticks[OUTSIDE] += (double)above(ticks - now.last_ticks, now.cost_ticks);
    memcpy(now.last, values, sizeof now.last);
    now.last_ticks = ticks;
}

static void calibrate(void)
{
    enum { TIMES = 50 };
    memset(now.cost, 0xFF, sizeof now.cost);
    now.cost_ticks = UINT64_MAX;
    read_for(-1);
    for (int i = 0; i < TIMES; i++) {
        uint64_t before[COUNTER_ROWS], ticks = now.last_ticks;
        memcpy(before, now.last, sizeof before);
        read_for(-1);
        for (int k = 0; k < now.number; k++)
            now.cost[k] =
                now.last[k] - before[k] < now.cost[k] ? now.last[k] - before[k] : now.cost[k];
        now.cost_ticks =
            now.last_ticks - ticks < now.cost_ticks ? now.last_ticks - ticks : now.cost_ticks;
    }
}

static void trap(uint64_t at)
{
    struct block *block = now.block;
    block->reading_at = at;
    block_deadline(block);
}

static void begin_window(uint64_t ticks)
{
    memset(now.count, 0, sizeof now.count);
    memset(now.ticks, 0, sizeof now.ticks);
    now.begin = ticks;
    now.calls = 0;
}

static void wait_for_call(void)
{
    now.state = READING_BEFORE_CALL;
    trap(1);
    current = NULL;
}

void counters_start(struct block *block)
{
    if (!now.number || now.state != READING_OFF)
        return;
    now.block = block;
    now.seconds_per_tick = record->rank.seconds_per_tick;
    now.shortest = (uint64_t)(0.016 / now.seconds_per_tick);
    now.longest = (uint64_t)(0.128 / now.seconds_per_tick);
    now.random = clock_ticks() * 2 + 1;
    calibrate();
    if (!now.start_ticks) { /* a program that goes on from sessions to a world counts on */
        memcpy(now.start, now.last, sizeof now.start);
        now.start_ticks = now.last_ticks;
    }
    now.represented = now.last_ticks;
    begin_window(now.last_ticks);
    wait_for_call();
}

static void add(struct counter_part *part, double count, double time)
{
    part->count += count;
    part->time += time;
    part->count_count += count * count;
    part->count_time += count * time;
    part->time_time += time * time;
}

static void take_totals(void)
{
    for (int i = 0; i < now.number; i++)
        record->counters[i].total = now.last[i] - now.start[i];
}

static void close_window(uint64_t end)
{
    const double stands_for =
        end > now.begin ? (double)(end - now.represented) / (double)(end - now.begin) : 1;
    for (int i = 0; i < now.number; i++) {
        struct counter_row *row = &record->counters[i];
        add(&row->inside, now.count[i][INSIDE] * stands_for,
            now.ticks[INSIDE] * stands_for * now.seconds_per_tick);
        add(&row->outside, now.count[i][OUTSIDE] * stands_for,
            now.ticks[OUTSIDE] * stands_for * now.seconds_per_tick);
        row->used = 1;
    }
    record->rank.counter_time += 2 * WINDOW_CALLS * (double)now.cost_ticks * now.seconds_per_tick;
    take_totals();
    now.represented = end;
}

/* The gap to the next window: of random length, so that it follows no rhythm of the program; 0:
 * none, calls are rare. */
static uint64_t gap(uint64_t end)
{
    uint64_t mean = (end - now.start_ticks) / 32;
    mean = mean < now.shortest ? now.shortest : mean > now.longest ? now.longest : mean;
    now.random ^= now.random << 13;
    now.random ^= now.random >> 7;
    now.random ^= now.random << 17;
    return end - now.begin >= mean ? 0 : mean / 2 + now.random % mean;
}

static void pause_for(uint64_t ticks)
{
    now.state = READING_PAUSED;
    trap(now.block->last + ticks);
    current = now.block;
}

void counters_exit(struct block *block)
{
    const int counted = now.state == READING_IN_CALL;
    if (counted)
        tell(block, 1);
    read_for(counted ? INSIDE : -1);
    tell(block, 0);
    if (!counted) {
        begin_window(block->last);
    } else {
        now.ticks[INSIDE] += (double)(block->last - block->begin);
        if (++now.calls == WINDOW_CALLS) {
            close_window(block->last);
            const uint64_t ticks = gap(block->last);
            begin_window(block->last);
            if (ticks) {
                pause_for(ticks);
                return;
            }
        }
    }
    wait_for_call();
}

int counters_enter(struct block *block)
{
    if (now.state != READING_BEFORE_CALL || block != now.block)
        return 0;
    read_for(OUTSIDE);
    now.state = READING_IN_CALL;
    return 1;
}

void counters_end(const struct block *block)
{
    if (now.state == READING_OFF || block != now.block)
        return;
    read_for(-1);
    take_totals();
    tell(block, 1); /* of MPI_Finalize */
    now.state = READING_OFF;
}
