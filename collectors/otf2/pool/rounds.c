/* Reads all events, one stretch of time after the other. */
#define _GNU_SOURCE
#include "pool.h"
#include "group.h"
#include <stdio.h>
#include <unistd.h>

/* A thread reads so much at once that what it makes of it stays in its caches; processes wait
 * longer for each other, and read more. */
enum {
    BATCH = 256,
    EVENTS_A_ROUND = 1 << 12,
    EVENTS_TOGETHER = 1 << 14,
    SECONDS_BETWEEN_WORDS = 5
};

static uint64_t round_of(const struct pool *pool)
{
    return (uint64_t)pool->workers * (pool->processes > 1 ? EVENTS_TOGETHER : EVENTS_A_ROUND);
}

static void read_events(struct pool *pool, struct stream *stream, uint64_t *read)
{
    while (!stream->done && stream->time < pool->limit) {
        uint64_t count = 0;
        now_reads(stream->reader, "at");
        OTF2_ErrorCode code = OTF2_EvtReader_ReadEvents(stream->reader, BATCH, &count);
        now_reads(stream->reader, "behind");
        stream->seen += count;
        *read += count;
        if (code != OTF2_SUCCESS && code != OTF2_ERROR_INDEX_OUT_OF_BOUNDS)
            die("the events of location %llu are damaged or cut off: %s",
                (unsigned long long)stream->location, OTF2_Error_GetDescription(code));
        if (count < BATCH)
            stream->done = 1;
    }
    now_reads(NULL, "");
    if (!stream->done || stream->seen == UINT64_MAX)
        return;
    if (stream->seen < stream->expected)
        die("location %llu holds %llu events of %llu: it was cut off",
            (unsigned long long)stream->location, (unsigned long long)stream->seen,
            (unsigned long long)stream->expected);
    stream->seen = UINT64_MAX;
    stream_end(stream);
}

static int is_own(const struct pool *pool, const struct stream *stream, unsigned number)
{
    return stream->worker == &pool->worker[number];
}

static void speak(struct pool *pool)
{
    alarm((unsigned)pool->timeout);
    /* On a terminal, advisor itself shows the time left. */
    if (pool->place || isatty(STDERR_FILENO) || time(NULL) - pool->spoke < SECONDS_BETWEEN_WORDS)
        return;
    pool->spoke = time(NULL);
    fprintf(stderr, "advisor: %.1f of %.1f million events read\n", (double)pool->done / 1e6,
            (double)pool->definitions.events / 1e6);
}

/* Since when a location is in a call that gives a lock back. */
static uint64_t unlocking(const struct stream *stream)
{
    return stream->call && stream->call->unlocks ? stream->enter : UINT64_MAX;
}

/* By one worker of each process, between rounds: how far the next one goes, so that it has about as
 * many events as fit into the caches. */
static void plan(struct pool *pool)
{
    uint64_t read = 0, least = UINT64_MAX, settled = UINT64_MAX, open = 0;
    for (unsigned i = 0; i < pool->workers; i++)
        read += pool->read[i];
    for (size_t i = 0; i < pool->stream_count; i++)
        if (!pool->streams[i].done) {
            open++;
            least = pool->streams[i].time < least ? pool->streams[i].time : least;
            settled =
                unlocking(&pool->streams[i]) < settled ? unlocking(&pool->streams[i]) : settled;
        }
    read = group_sum(read);
    settled = group_least(settled);
    pool->settled = settled < pool->limit ? settled : pool->limit;
    least = group_least(least);
    pool->finished = !group_sum(open);
    pool->settled = pool->finished ? UINT64_MAX : pool->settled;
    if (read < round_of(pool) / 2 && pool->window < UINT64_MAX / 4)
        pool->window *= 2;
    else if (read > round_of(pool) * 2 && pool->window > 1)
        pool->window /= 2;
    uint64_t from = least > pool->limit ? least : pool->limit;
    pool->limit =
        pool->finished || from > UINT64_MAX - pool->window ? UINT64_MAX : from + pool->window;
    pool->done += read;
    speak(pool);
}

/* Who else is at it: the other threads, or the other processes. */
static void wait_for_all(struct pool *pool)
{
    if (pool->threads > 1)
        barrier_wait(&pool->barrier);
}

static void match(struct pool *pool, unsigned number)
{
    for (unsigned from = 0; from < pool->workers; from++) {
        struct arrivals *come = &pool->arrivals[from * pool->workers + number];
        for (size_t i = 0; i < come->count; i++)
            shard_add(&pool->shards[number], &come->rows[i]);
        come->count = 0;
    }
    shard_settle(&pool->shards[number], pool->settled);
}

static void answer(struct pool *pool, unsigned number)
{
    for (unsigned from = 0; from < pool->workers; from++) {
        struct outcomes *come = &pool->outcomes[from * pool->workers + number];
        for (size_t i = 0; i < come->count; i++)
            stream_answer(&pool->streams[come->rows[i].stream], &come->rows[i]);
        come->count = 0;
    }
    for (size_t i = 0; i < pool->stream_count; i++)
        if (is_own(pool, &pool->streams[i], number))
            journal_trim(&pool->streams[i],
                         pool->streams[i].done && pool->limit == UINT64_MAX ? 0 : pool->most_open);
}

static void do_round(struct pool *pool, unsigned number)
{
    pool->read[number] = 0;
    for (size_t i = 0; i < pool->stream_count; i++)
        if (is_own(pool, &pool->streams[i], number) && !pool->streams[i].done)
            read_events(pool, &pool->streams[i], &pool->read[number]);
    wait_for_all(pool);
    group_exchange(&pool->arrivals[number * pool->workers], &pool->arrivals[number], pool->workers);
    match(pool, number);
    wait_for_all(pool);
    group_exchange_outcomes(&pool->outcomes[number * pool->workers], &pool->outcomes[number],
                            pool->workers);
    answer(pool, number);
    wait_for_all(pool);
    if (number == pool->place)
        plan(pool);
    wait_for_all(pool);
}

struct job {
    struct pool *pool;
    unsigned number;
};

static void *work(void *job)
{
    struct pool *pool = ((struct job *)job)->pool;
    const unsigned number = ((struct job *)job)->number;
    while (!pool->finished)
        do_round(pool, number);
    do_round(pool, number); /* what is left when all is read */
    return NULL;
}

void pool_read(struct pool *pool)
{
    pthread_t threads[MOST_THREADS];
    struct job jobs[MOST_THREADS];
    barrier_begin(&pool->barrier, pool->threads);
    pool->window = pool->definitions.length / (pool->definitions.events / round_of(pool) + 1) + 1;
    pool->limit = pool->definitions.offset > UINT64_MAX - pool->window
                      ? UINT64_MAX
                      : pool->definitions.offset + pool->window;
    pool->spoke = time(NULL);
    for (unsigned i = 0; i < pool->threads; i++)
        jobs[i] = (struct job){ pool, pool->place + i };
    for (unsigned i = 1; i < pool->threads; i++)
        if (pthread_create(&threads[i], NULL, work, &jobs[i]))
            die("a thread cannot be started");
    work(&jobs[0]);
    for (unsigned i = 1; i < pool->threads; i++)
        pthread_join(threads[i], NULL);
}
