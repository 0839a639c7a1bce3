/* The critical path: from the end of the job back to its begin, to the rank that was waited for wherever one waited.
 *
 * Steps of all ranks are put away in chunks, each with the number of the one before: read backwards, every step is looked at once. The
 * first chunks stay in memory, packed, the others go to a file, so that the memory that this takes does not grow with the trace. */
#define _GNU_SOURCE
#include "packing.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_ROOM = 256, MOST_ROWS = 1 << 20, MOST_STILL = 64, IN_MEMORY = 1 << 16, LARGE_PAGE = 2 << 20, MOST_PAGES = 64 };      /* IN_MEMORY: chunks, MOST_PAGES: 128 MiB of them */
struct packed { int64_t before; uint32_t count; uint8_t steps[]; };
static int file = -1, failed;
static int64_t used;
static struct packed *in_memory[IN_MEMORY];      /* NULL: in the file */

int path_open(const char *folder)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/advisor-steps-XXXXXX", folder);
    file = mkostemp(name, O_CLOEXEC);
    return file >= 0 && !unlink(name);
}

static int64_t offset_of(int64_t number) { return number * (int64_t)sizeof(struct chunk); }      /* it has holes */

static void start_chunk(struct chunk *chunk, int64_t before)
{
    chunk->before = before;
    chunk->number = 0;
    chunk->spare = NULL;
    chunk->count = chunk->open = 0;
}

static struct chunk *fresh_chunk(void)
{
    struct chunk *chunk = room_for(NULL, 1, sizeof *chunk);
    start_chunk(chunk, 0);
    return chunk;
}

/* From large pages: a page that is touched for the first time costs as much as some hundred steps. NULL: enough of them are in use. */
static void *packed_room(size_t size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *next;
    static size_t left, pages;
    size = (size + 7) / 8 * 8;
    pthread_mutex_lock(&lock);
    if (left < size && pages < MOST_PAGES) {
        void *block = NULL;
        if (posix_memalign(&block, LARGE_PAGE, LARGE_PAGE))
            refuse("it takes more memory than there is");
        madvise(block, LARGE_PAGE, MADV_HUGEPAGE);
        next = block;
        left = LARGE_PAGE;
        pages++;
    }
    char *room = left < size ? NULL : next;
    next += room ? size : 0;
    left -= room ? size : 0;
    pthread_mutex_unlock(&lock);
    return room;
}

struct trail *path_trail(void)
{
    struct trail *trail = room_for(NULL, 1, sizeof *trail);
    *trail = (struct trail){ .chunk = fresh_chunk(), .next.row = NO_ROW };
    return trail;
}

static int keep_packed(const struct chunk *chunk, int64_t number)
{
    uint8_t steps[MOST_PACKED];
    if (number >= IN_MEMORY)
        return 0;
    const size_t size = pack_steps(steps, chunk);
    struct packed *packed = packed_room(sizeof *packed + size);
    if (!packed)
        return 0;
    *packed = (struct packed){ chunk->before, chunk->count };
    memcpy(packed->steps, steps, size);
    in_memory[number] = packed;
    return 1;
}

static void keep(const struct chunk *chunk, int64_t number)
{
    if (keep_packed(chunk, number))
        return;
    if (__atomic_load_n(&failed, __ATOMIC_RELAXED) || pwrite(file, chunk, sizeof *chunk, offset_of(number)) != (ssize_t)sizeof *chunk)
        __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
}

static struct chunk *spare_chunk(struct trail *trail)
{
    struct chunk *chunk = trail->spare;
    if (!chunk)
        return fresh_chunk();
    trail->spare = chunk->spare;
    return chunk;
}

SELDOM void path_put_away(struct trail *trail)
{
    const int64_t number = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
    struct chunk *full = trail->chunk;
    if (full->open) {
        full->number = number + 1;
        trail->chunk = spare_chunk(trail);
    } else
        keep(full, number);
    start_chunk(trail->chunk, number + 1);
}

void path_settled(struct trail *trail, struct chunk *chunk)
{
    if (--chunk->open || !chunk->number)
        return;
    keep(chunk, chunk->number - 1);
    chunk->spare = trail->spare;
    trail->spare = chunk;
}

/* ---- what is on it */

static size_t place_of(const struct path *path, const struct path_row *row)
{
    const size_t mask = path->room - 1;
    size_t at = mixed((uint64_t)(uint32_t)row->rank << 32 ^ (uint64_t)row->operation << 48 ^ row->region) & mask;
    while (path->rows[at].ticks && (path->rows[at].rank != row->rank || path->rows[at].region != row->region || path->rows[at].operation != row->operation))
        at = (at + 1) & mask;
    return at;
}

static void widen(struct path *path)
{
    struct path_row *old = path->rows;
    const size_t room = path->room;
    path->room = room ? 2 * room : FIRST_ROOM;
    path->rows = room_for(NULL, path->room, sizeof *old);
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

static int read_before(struct trail *trail)
{
    const int64_t number = trail->chunk->before - 1;
    if (number < 0)
        return 0;
    if (number < IN_MEMORY && in_memory[number]) {
        start_chunk(trail->chunk, in_memory[number]->before);
        trail->chunk->count = in_memory[number]->count;
        unpack_steps(in_memory[number]->steps, trail->chunk);
        return 1;
    }
    if (pread(file, trail->chunk, sizeof *trail->chunk, offset_of(number)) == (ssize_t)sizeof *trail->chunk && trail->chunk->count <= STEPS_A_CHUNK)
        return 1;
    failed = 1;
    trail->chunk->count = 0;
    trail->chunk->before = 0;
    return 0;
}

static void gap_from(struct trail *trail, const struct step *step)
{
    if (trail->gap_count == trail->gap_room) {
        trail->gap_room = 2 * trail->gap_room + 8;
        trail->gaps = room_for(trail->gaps, trail->gap_room, sizeof *trail->gaps);
    }
    trail->gaps[trail->gap_count++] = (struct gap){ step->exit, (uint32_t)step->who };
}

/* The last call that began before `time`, NULL: there is none. What is passed over tells what was between it and the next one. */
static const struct step *step_before(struct stream *stream, uint64_t time)
{
    struct trail *trail = stream->trail;
    do {
        const struct step *steps = trail->chunk->steps, *passed = NULL;
        uint32_t count = trail->chunk->count;
        for (; count && (steps[count - 1].row == GAP_ROW || steps[count - 1].enter >= time); count--)
            if (steps[count - 1].row == GAP_ROW)
                gap_from(trail, &steps[count - 1]);
            else {
                passed = &steps[count - 1];
                trail->gap_count = 0;
            }
        if (passed)
            trail->next = *passed;
        trail->chunk->count = count;
        if (count)
            return &steps[count - 1];
    } while (read_before(trail));
    return NULL;
}

/* Where it was before the call that was passed over last; 0 if none was. */
static uint32_t region_of(const struct stream *stream)
{
    const struct step *next = &stream->trail->next;
    return next->row == NO_ROW ? (uint32_t)next->who : (uint32_t)stream->rank->rows[next->row].caller;
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
        path_add(path, (struct path_row){ (uint64_t)((double)trail->gaps[i].ticks * ((double)ticks / (double)all) + 0.5), stream->own->number, trail->gaps[i].region, 0 });
    if (!all)
        path_add(path, (struct path_row){ ticks, stream->own->number, region_of(stream), 0 });
}

static void add_call(struct path *path, const struct stream *stream, uint32_t row, uint64_t ticks)
{
    const struct row *call = row == NO_ROW ? NULL : &stream->own->rank->rows[row];
    if (ticks)
        path_add(path, (struct path_row){ ticks, stream->own->number, call ? (uint32_t)call->caller : 0, call ? (uint16_t)((call->key & 0xFFFF) + 1) : 0 });
}

/* Back to `begin`, or to a rank that is not here. */
void path_walk(struct path *path, struct stream *const *mains, uint64_t begin, struct path_place *at)
{
    while (at->time > begin && mains[at->rank]) {
        struct stream *stream = mains[at->rank];
        const struct step *step = step_before(stream, at->time);
        const uint64_t enter = step && step->enter > begin ? step->enter : begin;
        uint64_t end = !step ? begin : step->exit < at->time ? step->exit : at->time;
        end = end < begin ? begin : end;
        add_gap(path, stream, at->time - end);
        at->time = end;
        if (!step || end == begin)
            continue;
        /* Clocks that contradict each other must not send us in circles. */
        if (step->late > enter && step->late <= end && step->who != at->rank && (step->late < at->time || at->still < MOST_STILL)) {
            add_call(path, stream, step->row, end - step->late);
            *at = (struct path_place){ step->who, step->late, step->late < at->time ? 0 : at->still + 1 };
        } else {
            add_call(path, stream, step->row, end - enter);
            at->time = enter;
        }
    }
    path->is_lost |= failed;
}
