/* Opens the locations of an archive, and deals them out. */
#define _GNU_SOURCE
#include "pool.h"
#include "group.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { LEAST_OPEN = 1 << 10, MOST_OPEN = 1 << 16, OPEN_IN_ALL = 1 << 22 };

/* Every location needs a file of its own to be open. */
static void allow_files(size_t count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max != RLIM_INFINITY && count + 32 > limit.rlim_max)
        die("it has %zu locations, and this system lets a process open %llu files", count,
            (unsigned long long)limit.rlim_max);
}

static unsigned worker_of(const struct pool *pool, int32_t rank)
{
    return (unsigned)((uint64_t)rank * pool->workers / pool->definitions.ranks);
}

static int is_here(const struct pool *pool, const struct place *place)
{
    return place->rank != NONE && worker_of(pool, place->rank) - pool->place < pool->threads;
}

static OTF2_CallbackCode numbers_are_mapped(void *place, OTF2_MappingType type,
                                            const OTF2_IdMap *map)
{
    (void)type, (void)map;
    ((struct place *)place)->is_mapped = 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode clock_is_mapped(void *place, OTF2_TimeStamp time, int64_t offset,
                                         double deviation)
{
    (void)time, (void)offset, (void)deviation;
    ((struct place *)place)->is_clock_mapped = 1;
    return OTF2_CALLBACK_SUCCESS;
}

/* Its local definitions say how its numbers and its clock are mapped to those of all. */
static void read_mapping(OTF2_Reader *reader, const OTF2_DefReaderCallbacks *calls,
                         struct place *place)
{
    OTF2_DefReader *from = OTF2_Reader_GetDefReader(reader, place->location);
    uint64_t count = 0;
    if (!from)
        return;
    OTF2_Reader_RegisterDefCallbacks(reader, from, calls, place);
    OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(reader, from, &count);
    if (code != OTF2_SUCCESS)
        die("the definitions of location %llu are damaged or cut off",
            (unsigned long long)place->location);
    OTF2_Reader_CloseDefReader(reader, from);
}

static void read_mappings(struct pool *pool, OTF2_Reader *reader)
{
    struct definitions *definitions = &pool->definitions;
    OTF2_DefReaderCallbacks *calls = OTF2_DefReaderCallbacks_New();
    if (!calls)
        die("there is not enough memory");
    OTF2_DefReaderCallbacks_SetMappingTableCallback(calls, numbers_are_mapped);
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(calls, clock_is_mapped);
    for (size_t i = 0; i < definitions->place_count; i++)
        if (is_here(pool, &definitions->places[i]))
            read_mapping(reader, calls, &definitions->places[i]);
    OTF2_DefReaderCallbacks_Delete(calls);
}

static void add_stream(struct pool *pool, OTF2_Reader *reader, const struct place *place,
                       const OTF2_EvtReaderCallbacks *calls)
{
    const size_t number = pool->stream_count++;
    struct stream *stream = &pool->streams[number];
    *stream = (struct stream){ .definitions = &pool->definitions,
                               .own = &pool->owns[place->rank],
                               .rank = &pool->ranks[place->rank],
                               .location = place->location,
                               .expected = place->events,
                               .number = (uint32_t)number,
                               .worker = &pool->worker[worker_of(pool, place->rank)],
                               .trail = place->is_main ? steps_trail() : NULL,
                               .gap_room = 8 };
    stream->slices = slices_of(stream->worker, place->rank);
    stream->gaps = xrealloc(NULL, stream->gap_room, sizeof *stream->gaps);
    if (place->is_main)
        pool->mains[place->rank] = stream;
    stream->reader = OTF2_Reader_GetEvtReader(reader, place->location);
    stream->done =
        !stream->reader && !place->events; /* without events there need not be a file of them */
    if (stream->done)
        return;
    if (!stream->reader ||
        OTF2_Reader_RegisterEvtCallbacks(reader, stream->reader, calls, stream) != OTF2_SUCCESS)
        die("the events of location %llu are missing", (unsigned long long)place->location);
    /* For every event the library looks where there is nothing: a sixth of its time. */
    OTF2_EvtReader_ApplyMappingTables(stream->reader, place->is_mapped);
    OTF2_EvtReader_ApplyClockOffsets(stream->reader, place->is_clock_mapped);
}

void pool_open(struct pool *pool, OTF2_Reader *reader)
{
    struct definitions *definitions = &pool->definitions;
    size_t count = 0;
    for (size_t i = 0; i < definitions->place_count; i++) {
        definitions->events +=
            definitions->places[i].rank != NONE ? definitions->places[i].events : 0;
        if (is_here(pool, &definitions->places[i]))
            count +=
                OTF2_Reader_SelectLocation(reader, definitions->places[i].location) == OTF2_SUCCESS;
    }
    allow_files(count);
    if (OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS) {
        read_mappings(pool, reader);
        OTF2_Reader_CloseDefFiles(reader);
    }
    if (count && OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS)
        die("the files of its events are missing");
    OTF2_EvtReaderCallbacks *calls = stream_callbacks();
    pool->streams = xrealloc(NULL, count, sizeof *pool->streams);
    for (size_t i = 0; i < definitions->place_count; i++)
        if (is_here(pool, &definitions->places[i]) && pool->stream_count < count)
            add_stream(pool, reader, &definitions->places[i], calls);
    OTF2_EvtReaderCallbacks_Delete(calls);
    const size_t each = OPEN_IN_ALL / (count + 1);
    pool->most_open = each < LEAST_OPEN  ? LEAST_OPEN
                      : each > MOST_OPEN ? MOST_OPEN
                                         : (uint32_t)each;
}

/* 2^k / 128 s, so that the trace has at most 128 slices. */
static struct slicing slicing_of(const struct definitions *definitions)
{
    const double resolution = (double)definitions->resolution,
                 least = (double)definitions->length / resolution;
    struct slicing slicing = { 0, (definitions->ranks + SLICE_GROUPS - 1) / SLICE_GROUPS, 0 };
    const double shortest = SLICES / resolution,
                 longest = 0x1p56 / resolution; /* a tick a slice; what 64 bits of ticks hold */
    slicing.width = resolution *
                    exp2(ceil(log2(least < shortest  ? shortest
                                   : least > longest ? longest
                                                     : least))) /
                    SLICES;
    slicing.groups = (definitions->ranks + slicing.ranks_a_group - 1) / slicing.ranks_a_group;
    return slicing;
}

void pool_start_workers(struct pool *pool, unsigned threads)
{
    const uint32_t ranks = pool->definitions.ranks;
    pool->processes = group_size();
    pool->threads = pool->processes > 1 || threads < 1 ? 1
                    : threads > MOST_THREADS           ? MOST_THREADS
                    : threads > ranks                  ? ranks
                                                       : threads;
    pool->workers = pool->processes * pool->threads;
    pool->place = group_place();
    pool->slicing = slicing_of(&pool->definitions);
    pool->ranks = xcalloc(ranks, sizeof *pool->ranks);
    pool->owns = xcalloc(ranks, sizeof *pool->owns);
    pool->mains = xcalloc(ranks, sizeof *pool->mains);
    pool->worker = xcalloc(pool->workers, sizeof *pool->worker);
    pool->shards = xcalloc(pool->workers, sizeof *pool->shards);
    pool->arrivals = xcalloc((size_t)pool->workers * pool->workers, sizeof *pool->arrivals);
    pool->outcomes = xcalloc((size_t)pool->workers * pool->workers, sizeof *pool->outcomes);
    pool->read = xcalloc(pool->workers, sizeof *pool->read);
    for (uint32_t i = 0; i < ranks; i++) {
        pool->owns[i].rank = &pool->ranks[i];
        pool->owns[i].number = (int32_t)i;
    }
    for (unsigned i = pool->place; i < pool->place + pool->threads; i++) {
        pool->worker[i] =
            (struct worker){ &pool->arrivals[i * pool->workers],
                             xcalloc((size_t)ranks * CLASSES, sizeof(uint64_t)),
                             xcalloc((size_t)pool->slicing.groups * SLICES, sizeof(struct slice)),
                             pool->slicing,
                             i,
                             pool->workers };
        shard_start(&pool->shards[i], &pool->outcomes[i * pool->workers], pool->definitions.groups,
                    ranks);
    }
}
