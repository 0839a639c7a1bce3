/* Attributes the answers of lock targets to calls: how long each waited in the known time slices,
 * and for whom. */
#define _GNU_SOURCE
#include "lock_waits.h"
#include "job.h"
#include "locks.h"
#include "slices.h"
#include "strata.h"
#include "operations.h"
#include "unsampled.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_flush(unsigned operation)
{
    return !strncmp(operation_names[operation], "Win_flush", strlen("Win_flush"));
}

static int is_of_locks(unsigned operation)
{
    const char *name = operation_names[operation];
    return is_flush(operation) || !strncmp(name, "Win_lock", strlen("Win_lock")) ||
           !strncmp(name, "Win_unlock", strlen("Win_unlock"));
}

/* Of a call what lies in slices that are known, and what of that before `late`: places, in slices.
 * Near the edges another rank may have taken it for the slice beside. */
struct seen {
    double all, waited;
};

static struct seen seen_of(const struct lock_waits *found, uint64_t key, double enter, double exit,
                           double late)
{
    const uint64_t first = (uint64_t)enter, last = (uint64_t)exit;
    struct seen seen = { 0, 0 };
    if (!found->level && !(found->edge > 0))
        return (struct seen){ exit - enter, late - enter };
    for (uint64_t group = first >> found->level; group <= last >> found->level; group++) {
        const double slice = (double)slice_of_group(key, group, found->level),
                     begin = slice + found->edge, end = slice + 1 - found->edge;
        const double from = begin > enter ? begin : enter, to = end < exit ? end : exit,
                     until = late < to ? late : to;
        seen.all += to > from ? to - from : 0;
        seen.waited += until > from ? until - from : 0;
    }
    return seen;
}

static const struct sample *sample_of(const struct lock_answer *answer)
{
    return &record->samples[answer->place];
}

static void add_call(const struct lock_waits *found, const struct lock_answer *answer,
                     struct calls *calls)
{
    const struct sample *sample = sample_of(answer);
    const double enter = wait_time_at(calls->map, sample->enter),
                 exit = wait_time_at(calls->map, sample->exit),
                 last = answer->late < exit ? answer->late : exit;
    const double wait = last > enter ? last - enter : 0,
                 from = lock_waits_place(sample->enter, found->wider),
                 to = lock_waits_place(sample->exit, found->wider);
    const double second = exit > enter ? (to - from) / (exit - enter) : 0;
    const struct seen seen = seen_of(found, sample->key, from, to, from + wait * second);
    const int far = answer->who >= 0 && job.nodes > 1 &&
                    job.node_of[answer->who] != (uint32_t)job.node,
              unresolved = far && wait < found->tolerance;
    if (!(seen.all > 0))
        return;
    calls->rows[calls->count++] = (struct call){
        .key = (uint64_t)sample->event,
        .enter = sample->enter,
        .exit = sample->exit,
        .duration = seen.all / second,
        .wait = unresolved ? 0 : seen.waited / second,
        .unresolved = unresolved ? seen.waited / second : 0,
        .probability = ldexp(1, -(int)found->level),
        .who = answer->who,
        .slice = (uint64_t)from == (uint64_t)to ? (sample->key ^ (uint64_t)to) | 1ull << 63 : 0
    };
}

static int by_slice(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    const unsigned stratum = stratum_of(a->exit - a->enter), other = stratum_of(b->exit - b->enter);
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->slice != b->slice)
        return a->slice < b->slice ? -1 : 1;
    return (stratum > other) - (stratum < other);
}

/* The targets of one call next to each other. */
static int by_begin(const void *left, const void *right)
{
    const struct sample *a = sample_of(left), *b = sample_of(right);
    if (a->enter != b->enter)
        return a->enter < b->enter ? -1 : 1;
    return (a->exit > b->exit) - (a->exit < b->exit);
}

static size_t of_one_call(const struct lock_answer *answers, size_t left, struct lock_answer *last)
{
    size_t count = 1;
    *last = answers[0];
    for (; count < left && !by_begin(&answers[0], &answers[count]); count++)
        if (answers[count].late > last->late)
            *last = answers[count];
    return count;
}

/* Which calls of this rank are left out. SEVERAL: those that end several epochs, or are in several,
 * since in one of them another rank's lock ended: where the library puts off locking the call may
 * have waited for that, or have had nothing to do there. OF_ALL: also those that lock all, and
 * flushes, since some were in more epochs than are kept. */
enum left_out { NOTHING, SEVERAL, OF_ALL };

static int is_left_out(enum left_out left_out, unsigned operation)
{
    const char *name = operation_names[operation];
    const int of_all = strstr(name, "_all") != NULL;
    return left_out == OF_ALL ? of_all || is_flush(operation)
                              : left_out == SEVERAL && of_all && strcmp(name, "Win_lock_all");
}

static enum left_out what_to_leave_out(const struct lock_waits *found, const struct clock_map *map)
{
    struct lock_answer last;
    if (record->rank.unsampled & UNSAMPLED_ALL_LOCKED)
        return OF_ALL;
    for (size_t i = 0, count; i < found->count; i += count) {
        const struct sample *sample = sample_of(&found->answers[i]);
        count = of_one_call(&found->answers[i], found->count - i, &last);
        if (sample->check >> TARGET_BITS > 1 && sample->role != ROLE_WAITS &&
            last.late > wait_time_at(map, sample->enter))
            return SEVERAL;
    }
    return NOTHING;
}

void lock_waits_add(const struct lock_waits *found, struct calls *calls, struct merged *merged)
{
    const size_t first = calls->count;
    struct lock_answer last;
    if (found->count)
        qsort(found->answers, found->count, sizeof *found->answers, by_begin);
    const enum left_out left_out = what_to_leave_out(found, calls->map);
    merged->unsampled |= left_out == SEVERAL ? UNSAMPLED_PUT_OFF : 0;
    for (size_t i = 0, count; i < found->count; i += count) {
        const struct sample *sample = sample_of(&found->answers[i]);
        count = of_one_call(&found->answers[i], found->count - i, &last);
        if (count == (size_t)(sample->check >> TARGET_BITS) &&
            !is_left_out(left_out, key_operation(sample->event)))
            add_call(found, &last, calls);
    }
    if (calls->count > first)
        qsort(&calls->rows[first], calls->count - first, sizeof *calls->rows, by_slice);
}

void lock_waits_add_shared(const struct lock_waits *found, struct merged *merged)
{
    if (found->only_shared)
        merged->unsampled &=
            ~(uint64_t)(UNSAMPLED_ALL_LOCKED | UNSAMPLED_LOCKS); /* nobody waited for them */
    for (uint32_t k = 0; found->only_shared && k < record->rank.blocks; k++)
        for (uint64_t i = 0; i <= record->block[k]->used_events; i++) {
            const struct event_row *row = event_begun(record->block[k], i);
            const double time = (double)row->ticks * record->rank.seconds_per_tick;
            if (row->count && is_of_locks(key_operation(row->key)))
                waits_add_row(merged, row->key,
                              &(struct profile_waits){ .calls = row->count,
                                                       .sampled = row->count,
                                                       .time = time,
                                                       .duration = time });
        }
}
