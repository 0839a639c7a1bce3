/* Reads all events, one stretch of time after the other. */
#define _GNU_SOURCE
#include "crew.h"
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

static uint64_t round_of(const struct crew *crew)
{
    return (uint64_t)crew->workers * (crew->processes > 1 ? EVENTS_TOGETHER : EVENTS_A_ROUND);
}

static void read_events(struct crew *crew, struct stream *stream, uint64_t *read)
{
    while (!stream->done && stream->time < crew->limit) {
        uint64_t count = 0;
        now_reads(stream, "at");
        OTF2_ErrorCode code = OTF2_EvtReader_ReadEvents(stream->reader, BATCH, &count);
        now_reads(stream, "behind");
        stream->seen += count;
        *read += count;
        if (code != OTF2_SUCCESS && code != OTF2_ERROR_INDEX_OUT_OF_BOUNDS)
            refuse("the events of location %llu are damaged or cut off: %s",
                   (unsigned long long)stream->location, OTF2_Error_GetDescription(code));
        if (count < BATCH)
            stream->done = 1;
    }
    now_reads(NULL, "");
    if (!stream->done || stream->seen == UINT64_MAX)
        return;
    if (stream->seen < stream->expected)
        refuse("location %llu holds %llu events of %llu: it was cut off",
               (unsigned long long)stream->location, (unsigned long long)stream->seen,
               (unsigned long long)stream->expected);
    stream->seen = UINT64_MAX;
    stream_end(stream);
}

static int is_own(const struct crew *crew, const struct stream *stream, unsigned number)
{
    return stream->worker == &crew->worker[number];
}

static void speak(struct crew *crew)
{
    alarm((unsigned)crew->patience);
    if (crew->place || time(NULL) - crew->spoke < SECONDS_BETWEEN_WORDS)
        return;
    crew->spoke = time(NULL);
    fprintf(stderr, "advisor: %.1f of %.1f million events read\n", (double)crew->done / 1e6,
            (double)crew->definitions.events / 1e6);
}

/* Since when a location is in a call that gives a lock back. */
static uint64_t unlocking(const struct stream *stream)
{
    return stream->call && stream->call->unlocks ? stream->enter : UINT64_MAX;
}

/* By one worker of each process, between rounds: how far the next one goes, so that it has about as
 * many events as fit into the caches. */
static void plan(struct crew *crew)
{
    uint64_t read = 0, least = UINT64_MAX, settled = UINT64_MAX, open = 0;
    for (unsigned i = 0; i < crew->workers; i++)
        read += crew->read[i];
    for (size_t i = 0; i < crew->stream_count; i++)
        if (!crew->streams[i].done) {
            open++;
            least = crew->streams[i].time < least ? crew->streams[i].time : least;
            settled =
                unlocking(&crew->streams[i]) < settled ? unlocking(&crew->streams[i]) : settled;
        }
    read = group_sum(read);
    settled = group_least(settled);
    crew->settled = settled < crew->limit ? settled : crew->limit;
    least = group_least(least);
    crew->finished = !group_sum(open);
    crew->settled = crew->finished ? UINT64_MAX : crew->settled;
    if (read < round_of(crew) / 2 && crew->window < UINT64_MAX / 4)
        crew->window *= 2;
    else if (read > round_of(crew) * 2 && crew->window > 1)
        crew->window /= 2;
    uint64_t from = least > crew->limit ? least : crew->limit;
    crew->limit =
        crew->finished || from > UINT64_MAX - crew->window ? UINT64_MAX : from + crew->window;
    crew->done += read;
    speak(crew);
}

/* Who else is at it: the other threads, or the other processes. */
static void wait_for_all(struct crew *crew)
{
    if (crew->threads > 1)
        barrier_wait(&crew->barrier);
}

static void match(struct crew *crew, unsigned number)
{
    for (unsigned from = 0; from < crew->workers; from++) {
        struct arrivals *come = &crew->arrivals[from * crew->workers + number];
        for (size_t i = 0; i < come->count; i++)
            shard_add(&crew->shards[number], &come->rows[i]);
        come->count = 0;
    }
    shard_settle(&crew->shards[number], crew->settled);
}

static void answer(struct crew *crew, unsigned number)
{
    for (unsigned from = 0; from < crew->workers; from++) {
        struct outcomes *come = &crew->outcomes[from * crew->workers + number];
        for (size_t i = 0; i < come->count; i++)
            stream_answer(&crew->streams[come->rows[i].stream], &come->rows[i]);
        come->count = 0;
    }
    for (size_t i = 0; i < crew->stream_count; i++)
        if (is_own(crew, &crew->streams[i], number))
            journal_trim(&crew->streams[i],
                         crew->streams[i].done && crew->limit == UINT64_MAX ? 0 : crew->most_open);
}

static void do_round(struct crew *crew, unsigned number)
{
    crew->read[number] = 0;
    for (size_t i = 0; i < crew->stream_count; i++)
        if (is_own(crew, &crew->streams[i], number) && !crew->streams[i].done)
            read_events(crew, &crew->streams[i], &crew->read[number]);
    wait_for_all(crew);
    group_exchange(&crew->arrivals[number * crew->workers], &crew->arrivals[number], crew->workers);
    match(crew, number);
    wait_for_all(crew);
    group_exchange_outcomes(&crew->outcomes[number * crew->workers], &crew->outcomes[number],
                            crew->workers);
    answer(crew, number);
    wait_for_all(crew);
    if (number == crew->place)
        plan(crew);
    wait_for_all(crew);
}

struct job {
    struct crew *crew;
    unsigned number;
};

static void *work(void *job)
{
    struct crew *crew = ((struct job *)job)->crew;
    const unsigned number = ((struct job *)job)->number;
    while (!crew->finished)
        do_round(crew, number);
    do_round(crew, number); /* what is left when all is read */
    return NULL;
}

void crew_read(struct crew *crew)
{
    pthread_t threads[MOST_THREADS];
    struct job jobs[MOST_THREADS];
    barrier_begin(&crew->barrier, crew->threads);
    crew->window = crew->definitions.length / (crew->definitions.events / round_of(crew) + 1) + 1;
    crew->limit = crew->definitions.offset > UINT64_MAX - crew->window
                      ? UINT64_MAX
                      : crew->definitions.offset + crew->window;
    crew->spoke = time(NULL);
    for (unsigned i = 0; i < crew->threads; i++)
        jobs[i] = (struct job){ crew, crew->place + i };
    for (unsigned i = 1; i < crew->threads; i++)
        if (pthread_create(&threads[i], NULL, work, &jobs[i]))
            refuse("a thread cannot be started");
    work(&jobs[0]);
    for (unsigned i = 1; i < crew->threads; i++)
        pthread_join(threads[i], NULL);
}
