#include "phases.h"
#include "events.h"
#include "operations.h"

static void add_row(struct phase_sums *sums, const struct event_row *row)
{
    sums->ticks[operation_kinds[key_operation(row->key)]] += row->ticks;
    sums->bytes += row->bytes;
    sums->calls += row->count;
}

static struct phase_sums sums_of(const struct block *block)
{
    struct phase_sums sums = { { 0 }, 0, 0 };
    for (uint64_t i = 0; i <= block->used_events; i++)
        add_row(&sums, event_begun(block, i));
    return sums;
}

static void add(struct phase_sums *to, const struct phase_sums *more)
{
    for (int kind = 0; kind < PHASE_KINDS; kind++)
        to->ticks[kind] += more->ticks[kind];
    to->bytes += more->bytes;
    to->calls += more->calls;
}

static void add_difference(struct phase_sums *to, const struct phase_sums *now,
                           const struct phase_sums *before)
{
    for (int kind = 0; kind < PHASE_KINDS; kind++)
        to->ticks[kind] += now->ticks[kind] - before->ticks[kind];
    to->bytes += now->bytes - before->bytes;
    to->calls += now->calls - before->calls;
}

static void close_slice(struct block *block)
{
    struct phases *phases = &block->phases;
    struct phase_sums now = sums_of(block);
    struct slice *slice = &phases->slices[phases->current];
    add_difference(&slice->sums, &now, &phases->slice_seen);
    slice->used = 1;
    phases->slice_seen = now;
}

/* Two neighbours become one. */
static void coarsen(struct phases *phases)
{
    double width = 2 * phases->slices[0].width;
    for (uint32_t i = 0; i < SLICE_ROWS; i++) {
        struct slice pair = { .width = width, .index = i };
        for (uint32_t k = 2 * i; k < 2 * i + 2 && k < SLICE_ROWS; k++) {
            add(&pair.sums, &phases->slices[k].sums);
            pair.delayed[0] += phases->slices[k].delayed[0];
            pair.delayed[1] += phases->slices[k].delayed[1];
            pair.used |= phases->slices[k].used;
        }
        phases->slices[i] = pair;
    }
    phases->width *= 2;
    phases->current /= 2;
}

static uint64_t slice_of(const struct phases *phases, uint64_t ticks)
{
    return ticks < phases->origin ? 0 : (ticks - phases->origin) / phases->width;
}

/* The part of a call before slice `end` is in the slices that it went through, and so will not be
 * in the one it ends in. */
static void spread(struct phases *phases, unsigned kind, uint64_t begin, uint64_t end)
{
    for (uint64_t i = slice_of(phases, begin); i < end; i++) {
        uint64_t from = phases->origin + i * phases->width, to = from + phases->width;
        uint64_t part = to - (begin > from ? begin : from);
        phases->slices[i].sums.ticks[kind] += part;
        phases->slices[i].used = 1;
        phases->slice_seen.ticks[kind] += part;
    }
}

static void end_at(struct block *block, uint64_t end)
{
    block->phases.end = end;
    block_deadline(block);
}

void phases_delayed(struct block *block, int inside, uint64_t from, uint64_t to, uint64_t ticks)
{
    struct phases *phases = &block->phases;
    from = from < phases->origin ? phases->origin : from;
    if (!phases->width || !ticks || to <= from)
        return;
    while (slice_of(phases, to) >= SLICE_ROWS)
        coarsen(phases);
    for (uint64_t i = slice_of(phases, from); i <= slice_of(phases, to); i++) {
        const uint64_t begin = phases->origin + i * phases->width, end = begin + phases->width;
        const double part = (double)(to < end ? to : end) - (double)(from > begin ? from : begin);
        phases->slices[i].delayed[inside] += (uint64_t)((double)ticks * part / (double)(to - from));
        phases->slices[i].used = 1;
    }
}

static void turn_to(struct block *block, uint64_t now, unsigned kind, uint64_t begin)
{
    struct phases *phases = &block->phases;
    close_slice(block);
    while (slice_of(phases, now) >= SLICE_ROWS)
        coarsen(phases);
    phases->current = (uint32_t)slice_of(phases, now);
    spread(phases, kind, begin < now ? begin : now, phases->current);
    end_at(block, phases->origin + (phases->current + 1ull) * phases->width);
}

void (*phases_turned)(void);

void phases_turn(struct block *block, unsigned operation)
{
    if (!block->phases.width) { /* a block that was never started keeps no time */
        end_at(block, UINT64_MAX);
        return;
    }
    turn_to(block, block->last, operation_kinds[operation], block->begin);
    if (phases_turned && block == record->block[0])
        phases_turned();
}

void phases_start(struct block *block, uint64_t origin, double seconds_per_tick)
{
    struct phases *phases = &block->phases;
    if (phases->width) /* of a thread that has ended: goes on */
        return;
    phases->origin = phases->region_begin = origin;
    phases->width = (uint64_t)(1 / (seconds_per_tick * SLICES_A_SECOND));
    for (uint32_t i = 0; i < SLICE_ROWS; i++)
        phases->slices[i] = (struct slice){ .width = 1. / SLICES_A_SECOND, .index = i };
    end_at(block, origin + phases->width);
}

static void close_region(struct block *block, uint64_t now)
{
    struct phases *phases = &block->phases;
    struct region *region = &phases->regions[phases->region];
    struct phase_sums sums = sums_of(block);
    if (region->used) {
        add_difference(&region->sums, &sums, &phases->region_seen);
        region->ticks += now - phases->region_begin;
    }
    phases->region_seen = sums;
    phases->region_begin = now;
}

/* Row 0 is what ran before the first mark. */
static uint32_t region_row(struct phases *phases, int level)
{
    for (uint32_t i = 1; i < REGION_ROWS - 1; i++) {
        if (!phases->regions[i].used)
            phases->regions[i].level = level;
        if (phases->regions[i].level == level)
            return i;
    }
    phases->regions[REGION_ROWS - 1].level = REGION_FOLDED;
    return REGION_ROWS - 1;
}

void phases_region(struct block *block, int level, uint64_t now)
{
    struct phases *phases = &block->phases;
    close_region(block, now);
    phases->region = region_row(phases, level);
    phases->regions[phases->region].used = 1;
    phases->regions[phases->region].entries++;
}

void phases_end(struct block *block, uint64_t now)
{
    if (!block->phases.width || block->phases.end == UINT64_MAX)
        return;
    if (now >= block->phases.end)
        turn_to(block, now, KIND_OTHER, now);
    close_slice(block);
    close_region(block, now);
    block->reading_at = block->delay_at = 0;
    end_at(block, UINT64_MAX);
}
