/* Reads an OTF2 archive, and writes what was counted in it as a profile.
 *
 * Usage: otf2-profile ARCHIVE PROFILE THREADS MEMORY SECONDS
 * MEMORY: bytes that it may take; SECONDS: without progress, after which it gives up. Exit code 1 and one sentence on standard
 * output if the archive cannot be read; progress goes to standard error.
 *
 * Every thread reads the locations of its own ranks, one stretch of time after the other, so that partners meet in memory soon
 * after they were read and the memory needed does not grow with the length of the trace. */
#define _GNU_SOURCE
#include "matching.h"
#include "stream.h"
#include <otf2/OTF2_Pthread_Locks.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 256, EVENTS_A_ROUND = 1 << 15, MOST_THREADS = 64, SECONDS_BETWEEN_WORDS = 5 };

struct crew {
    struct definitions definitions;
    struct rank *ranks;
    struct own *owns;
    struct stream *streams;
    size_t stream_count;
    unsigned workers;
    struct worker *worker;
    struct shard *shards;
    struct arrivals *arrivals;     /* [from worker][to shard] */
    struct outcomes *outcomes;     /* [from shard][to worker] */
    uint64_t *read;                /* events of this round, by worker */
    uint64_t limit, window, done, patience;
    int finished;
    time_t spoke;
    pthread_barrier_t barrier;
};

static pthread_mutex_t last_words = PTHREAD_MUTEX_INITIALIZER;

void refuse(const char *format, ...)
{
    va_list list;
    pthread_mutex_lock(&last_words);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
    fflush(stdout);
    _exit(1);
}

void *room_for(void *old, size_t count, size_t size)
{
    void *room = count < SIZE_MAX / 2 / (size + 1) ? realloc(old, count * size + 1) : NULL;
    if (!room)
        refuse("it takes more memory than there is");
    return room;
}

static void no_progress(int number)
{
    static const char words[] = "reading it makes no progress\n";
    (void)number;
    _exit(write(1, words, sizeof words - 1) < 0 ? 2 : 1);
}

static OTF2_ErrorCode silence(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code, const char *format, va_list list)
{
    (void)data, (void)file, (void)line, (void)function, (void)format, (void)list;
    return code;
}

static void read_events(struct crew *crew, struct stream *stream, uint64_t *read)
{
    while (!stream->done && stream->time < crew->limit) {
        uint64_t count = 0;
        OTF2_ErrorCode code = OTF2_EvtReader_ReadEvents(stream->reader, BATCH, &count);
        stream->seen += count;
        *read += count;
        if (code != OTF2_SUCCESS && code != OTF2_ERROR_INDEX_OUT_OF_BOUNDS)
            refuse("the events of location %llu are damaged or cut off: %s", (unsigned long long)stream->location, OTF2_Error_GetDescription(code));
        if (count < BATCH)
            stream->done = 1;
    }
    if (!stream->done || stream->seen == UINT64_MAX)
        return;
    if (stream->seen < stream->expected)
        refuse("location %llu holds %llu events of %llu: it was cut off", (unsigned long long)stream->location,
               (unsigned long long)stream->seen, (unsigned long long)stream->expected);
    stream->seen = UINT64_MAX;
    stream_end(stream);
}

/* By worker 0, between rounds: how far the next one goes, so that it has about as many events as fit into the caches. */
static void plan(struct crew *crew)
{
    uint64_t read = 0, least = UINT64_MAX;
    crew->finished = 1;
    for (unsigned i = 0; i < crew->workers; i++)
        read += crew->read[i];
    for (size_t i = 0; i < crew->stream_count; i++)
        if (!crew->streams[i].done) {
            crew->finished = 0;
            least = crew->streams[i].time < least ? crew->streams[i].time : least;
        }
    if (read < crew->workers * EVENTS_A_ROUND / 2 && crew->window < UINT64_MAX / 4)
        crew->window *= 2;
    else if (read > crew->workers * EVENTS_A_ROUND * 2 && crew->window > 1)
        crew->window /= 2;
    uint64_t from = least > crew->limit ? least : crew->limit;
    crew->limit = from > UINT64_MAX - crew->window ? UINT64_MAX : from + crew->window;
    crew->done += read;
    alarm((unsigned)crew->patience);
    if (time(NULL) - crew->spoke >= SECONDS_BETWEEN_WORDS) {
        crew->spoke = time(NULL);
        fprintf(stderr, "advisor: %.1f of %.1f million events read\n", (double)crew->done / 1e6, (double)crew->definitions.events / 1e6);
    }
}

static void do_round(struct crew *crew, unsigned number)
{
    crew->read[number] = 0;
    for (size_t i = 0; i < crew->stream_count; i++)
        if (crew->streams[i].worker->number == number && !crew->streams[i].done)
            read_events(crew, &crew->streams[i], &crew->read[number]);
    pthread_barrier_wait(&crew->barrier);
    for (unsigned from = 0; from < crew->workers; from++) {
        struct arrivals *come = &crew->arrivals[from * crew->workers + number];
        for (size_t i = 0; i < come->count; i++)
            shard_add(&crew->shards[number], &come->rows[i]);
        come->count = 0;
    }
    pthread_barrier_wait(&crew->barrier);
    for (unsigned from = 0; from < crew->workers; from++) {
        struct outcomes *come = &crew->outcomes[from * crew->workers + number];
        for (size_t i = 0; i < come->count; i++)
            stream_answer(&crew->streams[come->rows[i].stream], &come->rows[i]);
        come->count = 0;
    }
    if (!number)
        plan(crew);
    pthread_barrier_wait(&crew->barrier);
}

static struct crew crew;

static void *work(void *number)
{
    while (!crew.finished)
        do_round(&crew, (unsigned)(uintptr_t)number);
    return NULL;
}

/* Every location needs a file of its own to be open. */
static void allow_files(size_t count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max != RLIM_INFINITY && count + 32 > limit.rlim_max)
        refuse("it has %zu locations, and this system lets a process open %llu files", count, (unsigned long long)limit.rlim_max);
}

static OTF2_Reader *open_archive(const char *path)
{
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    if (!reader)
        refuse("its first file is damaged, or parts of it are missing");
    if (OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS || OTF2_Pthread_Reader_SetLockingCallbacks(reader, NULL) != OTF2_SUCCESS)
        refuse("its first file is damaged, or of a kind that the library here cannot read");
    return reader;
}

/* Its local definitions say how its numbers and its clock are mapped to those of all. */
static void read_mapping(OTF2_Reader *reader, uint64_t location)
{
    OTF2_DefReader *from = OTF2_Reader_GetDefReader(reader, location);
    uint64_t count = 0;
    if (!from)
        return;
    OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(reader, from, &count);
    if (code != OTF2_SUCCESS)
        refuse("the definitions of location %llu are damaged or cut off", (unsigned long long)location);
    OTF2_Reader_CloseDefReader(reader, from);
}

static void add_stream(OTF2_Reader *reader, const struct place *place, const OTF2_EvtReaderCallbacks *calls)
{
    const size_t number = crew.stream_count++;
    struct stream *stream = &crew.streams[number];
    *stream = (struct stream){ .definitions = &crew.definitions, .own = &crew.owns[place->rank], .location = place->location,
        .expected = place->events, .number = (uint32_t)number,
        .worker = &crew.worker[(uint64_t)place->rank * crew.workers / crew.definitions.ranks] };
    stream->reader = OTF2_Reader_GetEvtReader(reader, place->location);
    stream->done = !stream->reader && !place->events;      /* without events there need not be a file of them */
    if (stream->done)
        return;
    if (!stream->reader || OTF2_Reader_RegisterEvtCallbacks(reader, stream->reader, calls, stream) != OTF2_SUCCESS)
        refuse("the events of location %llu are missing", (unsigned long long)place->location);
    OTF2_EvtReader_ApplyMappingTables(stream->reader, true);
    OTF2_EvtReader_ApplyClockOffsets(stream->reader, true);
    crew.definitions.events += place->events;
}

static void open_streams(OTF2_Reader *reader)
{
    const struct definitions *definitions = &crew.definitions;
    size_t count = 0;
    for (size_t i = 0; i < definitions->place_count; i++)
        if (definitions->places[i].rank != NONE)
            count += OTF2_Reader_SelectLocation(reader, definitions->places[i].location) == OTF2_SUCCESS;
    allow_files(count);
    if (OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS) {
        for (size_t i = 0; i < definitions->place_count; i++)
            if (definitions->places[i].rank != NONE)
                read_mapping(reader, definitions->places[i].location);
        OTF2_Reader_CloseDefFiles(reader);
    }
    if (OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS)
        refuse("the files of its events are missing");
    OTF2_EvtReaderCallbacks *calls = stream_callbacks();
    crew.streams = room_for(NULL, count, sizeof *crew.streams);
    for (size_t i = 0; i < definitions->place_count; i++)
        if (definitions->places[i].rank != NONE && crew.stream_count < count)
            add_stream(reader, &definitions->places[i], calls);
    OTF2_EvtReaderCallbacks_Delete(calls);
}

static void *zeros(size_t count, size_t size) { return memset(room_for(NULL, count, size), 0, count * size); }

static void hire(unsigned threads)
{
    const uint32_t ranks = crew.definitions.ranks;
    crew.workers = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
    crew.workers = crew.workers > ranks ? ranks : crew.workers;
    crew.ranks = zeros(ranks, sizeof *crew.ranks);
    crew.owns = zeros(ranks, sizeof *crew.owns);
    crew.worker = zeros(crew.workers, sizeof *crew.worker);
    crew.shards = zeros(crew.workers, sizeof *crew.shards);
    crew.arrivals = zeros((size_t)crew.workers * crew.workers, sizeof *crew.arrivals);
    crew.outcomes = zeros((size_t)crew.workers * crew.workers, sizeof *crew.outcomes);
    crew.read = zeros(crew.workers, sizeof *crew.read);
    for (uint32_t i = 0; i < ranks; i++) {
        crew.owns[i].rank = &crew.ranks[i];
        crew.owns[i].number = (int32_t)i;
    }
    for (unsigned i = 0; i < crew.workers; i++) {
        crew.worker[i] = (struct worker){ &crew.arrivals[i * crew.workers], zeros((size_t)ranks * CLASSES, sizeof(uint64_t)), i, crew.workers };
        shard_start(&crew.shards[i], &crew.outcomes[i * crew.workers]);
    }
}

static void read_all(void)
{
    pthread_t threads[MOST_THREADS];
    pthread_barrier_init(&crew.barrier, NULL, crew.workers);
    crew.window = crew.definitions.length / (crew.definitions.events / (crew.workers * EVENTS_A_ROUND) + 1) + 1;
    crew.limit = crew.definitions.offset > UINT64_MAX - crew.window ? UINT64_MAX : crew.definitions.offset + crew.window;
    crew.spoke = time(NULL);
    for (unsigned i = 1; i < crew.workers; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i))
            refuse("a thread cannot be started");
    work(NULL);
    for (unsigned i = 1; i < crew.workers; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < crew.workers; i++)
        for (size_t k = 0; k < (size_t)crew.definitions.ranks * CLASSES; k++)
            crew.ranks[k / CLASSES].late[k % CLASSES].caused += crew.worker[i].caused[k];
}

int main(int count, char **words)
{
    if (count != 6)
        return fprintf(stderr, "usage: otf2-profile ARCHIVE PROFILE THREADS MEMORY SECONDS\n"), 2;
    const rlim_t memory = strtoull(words[4], NULL, 10);
    struct rlimit bound = { memory, memory };
    char *creator = NULL;
    setrlimit(RLIMIT_AS, &bound);
    signal(SIGALRM, no_progress);
    crew.patience = strtoull(words[5], NULL, 10);
    alarm((unsigned)crew.patience);
    OTF2_Error_RegisterCallback(silence, NULL);
    OTF2_Reader *reader = open_archive(words[1]);
    OTF2_Reader_GetCreator(reader, &creator);
    crew.definitions.by_member = creator && (!strncmp(creator, "Score-P", 7) || !strncmp(creator, "advisor", 7));   /* ours counts as Score-P does */
    definitions_read(&crew.definitions, reader);
    hire((unsigned)atoi(words[3]));
    open_streams(reader);
    read_all();
    profile_write(&crew.definitions, crew.ranks, creator ? creator : "", words[2]);
    _exit(0);                    /* the library takes long to give all memory back */
}
