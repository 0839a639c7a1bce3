/* Steps of the critical path in fewer bytes: memory that is touched for the first time costs more than packing them. */
#include "packing.h"
#include <string.h>

/* Three numbers of 32 bits: the row, the time since the end of the call before, how long it took; with WAITED two more. A gap has the
 * region in place of the time before it. What does not fit, like a first step, is WIDE: as it is. */
enum { WIDE = 1 << 30, WAITED = 1 << 29, GAP = WAITED - 1 };
struct narrow { uint32_t row, since, length; };
struct waited { uint32_t late; int32_t who; };

static uint8_t *put(uint8_t *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    return to + size;
}

static uint8_t *pack_wide(uint8_t *to, const struct step *step)
{
    const uint32_t head = WIDE;
    return put(put(to, &head, sizeof head), step, sizeof *step);
}

static uint8_t *pack_step(uint8_t *to, const struct step *step, uint64_t before)
{
    const int is_gap = step->row == GAP_ROW;
    const uint64_t since = is_gap ? (uint32_t)step->who : step->enter - before, length = step->exit - step->enter, late = step->late ? step->late - step->enter : 0;
    if ((since | length | late) >> 32 || (step->row >= GAP && !is_gap) || (step->late && !late))
        return pack_wide(to, step);
    to = put(to, &(struct narrow){ (is_gap ? GAP : step->row) | (late ? WAITED : 0), (uint32_t)since, (uint32_t)length }, sizeof(struct narrow));
    return late ? put(to, &(struct waited){ (uint32_t)late, step->who }, sizeof(struct waited)) : to;
}

static const uint8_t *unpack_step(const uint8_t *from, struct step *step, uint64_t before)
{
    struct narrow narrow;
    struct waited waited;
    memcpy(&narrow, from, sizeof narrow);
    if (narrow.row & WIDE) {
        memcpy(step, from + sizeof narrow.row, sizeof *step);
        return from + sizeof narrow.row + sizeof *step;
    }
    from += sizeof narrow;
    if (narrow.row == GAP) {
        *step = (struct step){ .exit = narrow.length, .who = (int32_t)narrow.since, .row = GAP_ROW };
        return from;
    }
    const uint64_t enter = before + narrow.since;
    *step = (struct step){ enter, enter + narrow.length, 0, NONE, narrow.row & GAP };
    if (!(narrow.row & WAITED))
        return from;
    memcpy(&waited, from, sizeof waited);
    step->late = enter + waited.late;
    step->who = waited.who;
    return from + sizeof waited;
}

size_t pack_steps(uint8_t *to, const struct chunk *chunk)
{
    uint8_t *at = to;
    uint64_t before = 0;
    for (uint32_t i = 0; i < chunk->count; i++) {
        at = pack_step(at, &chunk->steps[i], before);
        before = chunk->steps[i].row == GAP_ROW ? before : chunk->steps[i].exit;
    }
    return (size_t)(at - to);
}

void unpack_steps(const uint8_t *from, struct chunk *chunk)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < chunk->count; i++) {
        from = unpack_step(from, &chunk->steps[i], before);
        before = chunk->steps[i].row == GAP_ROW ? before : chunk->steps[i].exit;
    }
}
