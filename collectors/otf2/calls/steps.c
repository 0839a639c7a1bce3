/* Steps of all ranks, put away in chunks that know the one before. The first chunks stay in memory,
 * the others go to a file, so that the memory that this takes does not grow with the trace. */
#define _GNU_SOURCE
#include "stream.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE_PAGE = 2 << 20, MOST_PAGES = 64 }; /* 128 MiB of chunks stay in memory */
static int file = -1, failed;
static int64_t used;

int steps_open(const char *folder)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/advisor-steps-XXXXXX", folder);
    file = mkostemp(name, O_CLOEXEC);
    return file >= 0 && !unlink(name);
}

int steps_failed(void)
{
    return failed;
}

/* From large pages: a page that is touched for the first time costs as much as some hundred steps.
 * NULL: enough of them are in use. */
static struct chunk *kept_room(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *next;
    static size_t left, pages;
    char *room = NULL;
    pthread_mutex_lock(&lock);
    if (!left && pages < MOST_PAGES) {
        void *block = NULL;
        if (posix_memalign(&block, LARGE_PAGE, LARGE_PAGE))
            die("it takes more memory than there is");
        madvise(block, LARGE_PAGE, MADV_HUGEPAGE);
        next = block;
        left = LARGE_PAGE / CHUNK_SIZE;
        pages++;
    }
    if (left) {
        room = next;
        next += CHUNK_SIZE;
        left--;
    }
    pthread_mutex_unlock(&lock);
    return (struct chunk *)room;
}

static struct chunk *start_chunk(struct chunk *chunk, int64_t before, struct chunk *earlier)
{
    chunk->before = before;
    chunk->earlier = earlier;
    chunk->number = 0;
    chunk->spare = NULL;
    chunk->count = chunk->open = 0;
    return chunk;
}

static struct chunk *chunk_for(struct trail *trail)
{
    struct chunk *chunk = trail->spare, *kept = chunk ? NULL : kept_room();
    if (chunk) {
        trail->spare = chunk->spare;
        return chunk;
    }
    chunk = kept ? kept : xrealloc(NULL, 1, CHUNK_SIZE);
    chunk->is_kept = kept != NULL;
    return chunk;
}

struct trail *steps_trail(void)
{
    struct trail *trail = xrealloc(NULL, 1, sizeof *trail);
    *trail = (struct trail){ .next_row = NO_ROW };
    trail->chunk = start_chunk(chunk_for(trail), 0, NULL);
    return trail;
}

static void write_chunk(const struct chunk *chunk, int64_t number)
{
    if (__atomic_load_n(&failed, __ATOMIC_RELAXED) ||
        pwrite(file, chunk, sizeof *chunk, (number - 1) * CHUNK_SIZE) != (ssize_t)sizeof *chunk)
        __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
}

static COLD void put_away(struct trail *trail)
{
    struct chunk *full = trail->chunk;
    if (full->is_kept) {
        trail->chunk = start_chunk(chunk_for(trail), 0, full);
        return;
    }
    const int64_t number = __atomic_add_fetch(&used, 1, __ATOMIC_RELAXED);
    if (full->open) {
        full->number = number;
        trail->chunk = chunk_for(trail);
    } else
        write_chunk(full, number);
    start_chunk(trail->chunk, number, NULL);
}

void steps_settled(struct trail *trail, struct chunk *chunk)
{
    if (--chunk->open || !chunk->number)
        return;
    write_chunk(chunk, chunk->number);
    chunk->spare = trail->spare;
    trail->spare = chunk;
}

/* With room for a step. */
static struct chunk *chunk_at(struct trail *trail, uint64_t time)
{
    if (UNLIKELY(trail->chunk->count > SLOTS_A_CHUNK - SLOTS_A_STEP))
        put_away(trail);
    if (UNLIKELY(!trail->chunk->count))
        trail->chunk->base = time;
    return trail->chunk;
}

static struct slot *put(struct chunk *chunk, uint32_t row, uint64_t first, uint64_t second)
{
    struct slot *slot = &chunk->slots[chunk->count++];
    slot->row = row;
    slot->first = (uint32_t)first;
    slot->second = (uint32_t)second;
    return slot;
}

void steps_add(struct trail *trail, uint32_t row, uint64_t enter, uint64_t exit)
{
    struct chunk *chunk = chunk_at(trail, enter);
    const uint64_t since = enter - chunk->base, length = exit - enter;
    put(chunk, row, since, length);
    if (UNLIKELY((since | length) >> 32))
        put(chunk, UPPER_ROW, since >> 32, length >> 32);
}

struct slot *steps_add_wait(struct trail *trail, uint32_t row, uint64_t enter, uint64_t exit,
                            int32_t who)
{
    struct chunk *chunk = chunk_at(trail, enter);
    const uint64_t since = enter - chunk->base, length = exit - enter;
    struct slot *step = put(chunk, row, since, length);
    put(chunk, WAIT_ROW, 0, (uint32_t)who);
    if (UNLIKELY((since | length) >> 32)) {
        put(chunk, UPPER_ROW, since >> 32, length >> 32);
        put(chunk, UPPER_WAIT_ROW, 0, 0);
    }
    return step;
}

void steps_waited(struct slot *step, uint64_t ticks, int32_t who)
{
    step[1].first = (uint32_t)ticks;
    step[1].second = (uint32_t)who;
    if (UNLIKELY(ticks >> 32))
        step[3].first = (uint32_t)(ticks >> 32); /* the call is longer: it has its upper halves */
}

void steps_add_gap(struct trail *trail, const struct gap *gap, uint64_t time)
{
    struct chunk *chunk = chunk_at(trail, time);
    put(chunk, GAP_ROW, gap->region, gap->ticks);
    if (UNLIKELY(gap->ticks >> 32))
        put(chunk, UPPER_ROW, 0, gap->ticks >> 32);
}

int steps_before(struct trail *trail)
{
    struct chunk *chunk = trail->chunk;
    if (chunk->earlier) {
        trail->chunk = chunk->earlier;
        return 1;
    }
    if (!chunk->before)
        return 0;
    if (pread(file, chunk, sizeof *chunk, (chunk->before - 1) * CHUNK_SIZE) ==
            (ssize_t)sizeof *chunk &&
        chunk->count <= SLOTS_A_CHUNK)
        return 1;
    failed = 1;
    start_chunk(chunk, 0, NULL);
    return 0;
}
