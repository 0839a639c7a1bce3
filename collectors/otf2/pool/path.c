/* The critical path: from the end of the job back to its begin, to the rank that was waited for
 * wherever one waited.
 *
 * Read backwards, every step is looked at once. */
#include "stream.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256, MOST_ROWS = 1 << 20, MOST_STILL = 64 };
struct step {
    uint64_t enter, exit, late;
    int32_t who;
    uint32_t row;
}; /* late: until when it waited, 0: not at all */

/* ---- what is on it */

static size_t place_of(const struct path *path, const struct path_row *row)
{
    const size_t mask = path->room - 1;
    size_t at =
        mixed((uint64_t)(uint32_t)row->rank << 32 ^ (uint64_t)row->operation << 48 ^ row->region) &
        mask;
    while (path->rows[at].ticks &&
           (path->rows[at].rank != row->rank || path->rows[at].region != row->region ||
            path->rows[at].operation != row->operation))
        at = (at + 1) & mask;
    return at;
}

static void widen(struct path *path)
{
    struct path_row *old = path->rows;
    const size_t room = path->room;
    path->room = room ? 2 * room : FIRST_ROOM;
    path->rows = xrealloc(NULL, path->room, sizeof *old);
    memset(path->rows, 0, path->room * sizeof *old);
    for (size_t i = 0; i < room; i++)
        if (old[i].ticks)
            path->rows[place_of(path, &old[i])] = old[i];
    free(old);
}

void path_add(struct path *path, struct path_row row)
{
    if (2 * path->count >= path->room)
        widen(path);
    if (path->count >= MOST_ROWS)
        row.region = 0;
    struct path_row *to = &path->rows[place_of(path, &row)];
    row.ticks += to->ticks;
    path->count += !to->ticks && row.ticks;
    *to = row;
}

/* ---- the way back */

static uint64_t both(uint32_t lower, uint32_t upper)
{
    return (uint64_t)upper << 32 | lower;
}

static void gap_from(struct trail *trail, uint32_t region, uint64_t ticks)
{
    if (trail->gap_count == trail->gap_room) {
        trail->gap_room = 2 * trail->gap_room + 8;
        trail->gaps = xrealloc(trail->gaps, trail->gap_room, sizeof *trail->gaps);
    }
    trail->gaps[trail->gap_count++] = (struct gap){ ticks, region };
}

/* The step whose last slot is in front of `at`; where its first one is. A gap has a length only,
 * and its region. */
static uint32_t step_at(const struct chunk *chunk, uint32_t at, struct step *step)
{
    static const struct slot none;
    const struct slot *slot = &chunk->slots[--at], *wait = &none, *upper = &none,
                      *upper_wait = &none;
    for (; slot->row >= WAIT_ROW && slot->row < GAP_ROW; slot = &chunk->slots[--at])
        *(slot->row == WAIT_ROW ? &wait : slot->row == UPPER_ROW ? &upper : &upper_wait) = slot;
    const uint64_t late = both(wait->first, upper_wait->first);
    step->row = slot->row;
    step->who = slot->row == GAP_ROW ? (int32_t)slot->first : (int32_t)wait->second;
    step->enter = chunk->base + both(slot->first, upper->first);
    step->exit = step->enter + both(slot->second, upper->second);
    step->late = late ? step->enter + late : 0;
    return at;
}

/* The last call that began before `time`, 0: there is none. What is passed over tells what was
 * between it and the next one. */
static int step_before(struct trail *trail, uint64_t time, struct step *step)
{
    do {
        struct chunk *chunk = trail->chunk;
        while (chunk->count) {
            const uint32_t first = step_at(chunk, chunk->count, step);
            if (step->row == GAP_ROW)
                gap_from(trail, (uint32_t)step->who, step->exit - step->enter);
            else if (step->enter < time)
                return 1;
            else {
                trail->next_row = step->row;
                trail->next_region = (uint32_t)step->who;
                trail->gap_count = 0;
            }
            chunk->count = first;
        }
    } while (steps_before(trail));
    return 0;
}

/* Where it was before the call that was passed over last; 0 if none was. */
static uint32_t region_of(const struct stream *stream)
{
    const struct trail *trail = stream->trail;
    return trail->next_row == NO_ROW ? trail->next_region
                                     : (uint32_t)stream->rank->rows[trail->next_row].caller;
}

static void add_gap(struct path *path, const struct stream *stream, uint64_t ticks)
{
    const struct trail *trail = stream->trail;
    uint64_t all = 0;
    for (uint32_t i = 0; i < trail->gap_count; i++)
        all += trail->gaps[i].ticks;
    if (!ticks)
        return;
    for (uint32_t i = 0; i < trail->gap_count && all; i++)
        path_add(path,
                 (struct path_row){
                     (uint64_t)((double)trail->gaps[i].ticks * ((double)ticks / (double)all) + 0.5),
                     stream->own->number, trail->gaps[i].region, 0 });
    if (!all)
        path_add(path, (struct path_row){ ticks, stream->own->number, region_of(stream), 0 });
}

static void add_call(struct path *path, const struct stream *stream, uint32_t row, uint64_t ticks)
{
    const struct row *call = row == NO_ROW ? NULL : &stream->own->rank->rows[row];
    if (ticks)
        path_add(path,
                 (struct path_row){ ticks, stream->own->number, call ? (uint32_t)call->caller : 0,
                                    call ? (uint16_t)(key_operation(call->key) + 1) : 0 });
}

/* Back to `begin`, or to a rank that is not here. */
void path_walk(struct path *path, struct stream *const *mains, uint64_t begin,
               struct path_place *at)
{
    while (at->time > begin && mains[at->rank]) {
        struct stream *stream = mains[at->rank];
        struct step step;
        const int is_there = step_before(stream->trail, at->time, &step);
        const uint64_t enter = is_there && step.enter > begin ? step.enter : begin;
        uint64_t end = !is_there ? begin : step.exit < at->time ? step.exit : at->time;
        end = end < begin ? begin : end;
        add_gap(path, stream, at->time - end);
        at->time = end;
        if (!is_there || end == begin)
            continue;
        /* Clocks that contradict each other must not send us in circles. */
        if (step.late > enter && step.late <= end && step.who != at->rank &&
            (step.late < at->time || at->still < MOST_STILL)) {
            add_call(path, stream, step.row, end - step.late);
            *at = (struct path_place){ step.who, step.late,
                                       step.late < at->time ? 0 : at->still + 1 };
        } else {
            add_call(path, stream, step.row, end - enter);
            at->time = enter;
        }
    }
    path->is_lost |= steps_failed();
}
