/* Opens the locations of an archive, and deals them out. */
#define _GNU_SOURCE
#include "crew.h"
#include "group.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { LEAST_OPEN = 1 << 10, MOST_OPEN = 1 << 16, OPEN_IN_ALL = 1 << 22 };

void *zeros(size_t count, size_t size)
{
    return memset(room_for(NULL, count, size), 0, count * size);
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
        refuse("it has %zu locations, and this system lets a process open %llu files", count,
               (unsigned long long)limit.rlim_max);
}

static unsigned worker_of(const struct crew *crew, int32_t rank)
{
    return (unsigned)((uint64_t)rank * crew->workers / crew->definitions.ranks);
}

static int is_here(const struct crew *crew, const struct place *place)
{
    return place->rank != NONE && worker_of(crew, place->rank) - crew->place < crew->threads;
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
        refuse("the definitions of location %llu are damaged or cut off",
               (unsigned long long)place->location);
    OTF2_Reader_CloseDefReader(reader, from);
}

static void read_mappings(struct crew *crew, OTF2_Reader *reader)
{
    struct definitions *definitions = &crew->definitions;
    OTF2_DefReaderCallbacks *calls = OTF2_DefReaderCallbacks_New();
    if (!calls)
        refuse("there is not enough memory");
    OTF2_DefReaderCallbacks_SetMappingTableCallback(calls, numbers_are_mapped);
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(calls, clock_is_mapped);
    for (size_t i = 0; i < definitions->place_count; i++)
        if (is_here(crew, &definitions->places[i]))
            read_mapping(reader, calls, &definitions->places[i]);
    OTF2_DefReaderCallbacks_Delete(calls);
}

static void add_stream(struct crew *crew, OTF2_Reader *reader, const struct place *place,
                       const OTF2_EvtReaderCallbacks *calls)
{
    const size_t number = crew->stream_count++;
    struct stream *stream = &crew->streams[number];
    *stream = (struct stream){ .definitions = &crew->definitions,
                               .own = &crew->owns[place->rank],
                               .rank = &crew->ranks[place->rank],
                               .location = place->location,
                               .expected = place->events,
                               .number = (uint32_t)number,
                               .worker = &crew->worker[worker_of(crew, place->rank)],
                               .trail = place->is_main ? steps_trail() : NULL,
                               .gap_room = 8 };
    stream->slices = slices_of(stream->worker, place->rank);
    stream->gaps = room_for(NULL, stream->gap_room, sizeof *stream->gaps);
    if (place->is_main)
        crew->mains[place->rank] = stream;
    stream->reader = OTF2_Reader_GetEvtReader(reader, place->location);
    stream->done =
        !stream->reader && !place->events; /* without events there need not be a file of them */
    if (stream->done)
        return;
    if (!stream->reader ||
        OTF2_Reader_RegisterEvtCallbacks(reader, stream->reader, calls, stream) != OTF2_SUCCESS)
        refuse("the events of location %llu are missing", (unsigned long long)place->location);
    /* For every event the library looks where there is nothing: a sixth of its time. */
    OTF2_EvtReader_ApplyMappingTables(stream->reader, place->is_mapped);
    OTF2_EvtReader_ApplyClockOffsets(stream->reader, place->is_clock_mapped);
}

void crew_open(struct crew *crew, OTF2_Reader *reader)
{
    struct definitions *definitions = &crew->definitions;
    size_t count = 0;
    for (size_t i = 0; i < definitions->place_count; i++) {
        definitions->events +=
            definitions->places[i].rank != NONE ? definitions->places[i].events : 0;
        if (is_here(crew, &definitions->places[i]))
            count +=
                OTF2_Reader_SelectLocation(reader, definitions->places[i].location) == OTF2_SUCCESS;
    }
    allow_files(count);
    if (OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS) {
        read_mappings(crew, reader);
        OTF2_Reader_CloseDefFiles(reader);
    }
    if (count && OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS)
        refuse("the files of its events are missing");
    OTF2_EvtReaderCallbacks *calls = stream_callbacks();
    crew->streams = room_for(NULL, count, sizeof *crew->streams);
    for (size_t i = 0; i < definitions->place_count; i++)
        if (is_here(crew, &definitions->places[i]) && crew->stream_count < count)
            add_stream(crew, reader, &definitions->places[i], calls);
    OTF2_EvtReaderCallbacks_Delete(calls);
    const size_t each = OPEN_IN_ALL / (count + 1);
    crew->most_open = each < LEAST_OPEN  ? LEAST_OPEN
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

void crew_hire(struct crew *crew, unsigned threads)
{
    const uint32_t ranks = crew->definitions.ranks;
    crew->processes = group_size();
    crew->threads = crew->processes > 1 || threads < 1 ? 1
                    : threads > MOST_THREADS           ? MOST_THREADS
                    : threads > ranks                  ? ranks
                                                       : threads;
    crew->workers = crew->processes * crew->threads;
    crew->place = group_place();
    crew->slicing = slicing_of(&crew->definitions);
    crew->ranks = zeros(ranks, sizeof *crew->ranks);
    crew->owns = zeros(ranks, sizeof *crew->owns);
    crew->mains = zeros(ranks, sizeof *crew->mains);
    crew->worker = zeros(crew->workers, sizeof *crew->worker);
    crew->shards = zeros(crew->workers, sizeof *crew->shards);
    crew->arrivals = zeros((size_t)crew->workers * crew->workers, sizeof *crew->arrivals);
    crew->outcomes = zeros((size_t)crew->workers * crew->workers, sizeof *crew->outcomes);
    crew->read = zeros(crew->workers, sizeof *crew->read);
    for (uint32_t i = 0; i < ranks; i++) {
        crew->owns[i].rank = &crew->ranks[i];
        crew->owns[i].number = (int32_t)i;
    }
    for (unsigned i = crew->place; i < crew->place + crew->threads; i++) {
        crew->worker[i] =
            (struct worker){ &crew->arrivals[i * crew->workers],
                             zeros((size_t)ranks * CLASSES, sizeof(uint64_t)),
                             zeros((size_t)crew->slicing.groups * SLICES, sizeof(struct slice)),
                             crew->slicing,
                             i,
                             crew->workers };
        shard_start(&crew->shards[i], &crew->outcomes[i * crew->workers], crew->definitions.groups,
                    ranks);
    }
}
