/* Reads all events of an archive with callbacks that do nothing: what any reader pays. Usage:
 * read_nothing ARCHIVE local|plain|global plain: each location as local, but nothing mapped,
 * neither numbers nor clocks; right for archives that hold no maps. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1 << 20 };
static uint64_t locations[MOST];
static size_t location_count;

static OTF2_CallbackCode location_is(void *d, OTF2_LocationRef self, OTF2_StringRef n,
                                     OTF2_LocationType t, uint64_t e, OTF2_LocationGroupRef g)
{
    (void)d, (void)n, (void)t, (void)e, (void)g;
    locations[location_count++ % MOST] = self;
    return OTF2_CALLBACK_SUCCESS;
}

#define LOCAL  OTF2_LocationRef l, OTF2_TimeStamp t, uint64_t p, void *d, OTF2_AttributeList *a
#define GLOBAL OTF2_LocationRef l, OTF2_TimeStamp t, void *d, OTF2_AttributeList *a
#define NOTHING(name, ...)                     \
    static OTF2_CallbackCode name(__VA_ARGS__) \
    {                                          \
        (void)l, (void)t, (void)d, (void)a;    \
        return OTF2_CALLBACK_SUCCESS;          \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING(region, LOCAL, OTF2_RegionRef r)
NOTHING(isend, LOCAL, uint32_t r, OTF2_CommRef c, uint32_t g, uint64_t b, uint64_t i)
NOTHING(request, LOCAL, uint64_t i)
NOTHING(collective, LOCAL, OTF2_CollectiveOp o, OTF2_CommRef c, uint32_t r, uint64_t s, uint64_t e)
NOTHING(region_of_all, GLOBAL, OTF2_RegionRef r)
NOTHING(isend_of_all, GLOBAL, uint32_t r, OTF2_CommRef c, uint32_t g, uint64_t b, uint64_t i)
NOTHING(request_of_all, GLOBAL, uint64_t i)
NOTHING(collective_of_all, GLOBAL, OTF2_CollectiveOp o, OTF2_CommRef c, uint32_t r, uint64_t s,
        uint64_t e)

static uint64_t read_local(OTF2_Reader *reader, int maps)
{
    OTF2_EvtReaderCallbacks *calls = OTF2_EvtReaderCallbacks_New();
    uint64_t sum = 0, count;
    OTF2_EvtReaderCallbacks_SetEnterCallback(calls, region);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(calls, region);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(calls, isend);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(calls, isend);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(calls, request);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(calls, request);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(calls, collective);
    for (size_t i = 0; i < location_count; i++, sum += count) {
        OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, locations[i]);
        OTF2_Reader_RegisterEvtCallbacks(reader, events, calls, NULL);
        OTF2_EvtReader_ApplyMappingTables(events, maps);
        OTF2_EvtReader_ApplyClockOffsets(events, maps);
        OTF2_Reader_ReadAllLocalEvents(reader, events, &count);
        OTF2_Reader_CloseEvtReader(reader, events);
    }
    return sum;
}

static uint64_t read_global(OTF2_Reader *reader)
{
    OTF2_GlobalEvtReaderCallbacks *calls = OTF2_GlobalEvtReaderCallbacks_New();
    uint64_t sum = 0;
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(calls, region_of_all);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(calls, region_of_all);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(calls, isend_of_all);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(calls, isend_of_all);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(calls, request_of_all);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(calls, request_of_all);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(calls, collective_of_all);
    for (size_t i = 0; i < location_count; i++)
        OTF2_Reader_GetEvtReader(reader, locations[i]);
    OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, calls, NULL);
    OTF2_Reader_ReadAllGlobalEvents(reader, events, &sum);
    return sum;
}

int main(int count, char **words)
{
    uint64_t read = 0;
    OTF2_Reader *reader = count == 3 ? OTF2_Reader_Open(words[1]) : NULL;
    if (!reader)
        return fprintf(stderr, "usage: read_nothing ARCHIVE local|plain|global\n"), 2;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *calls = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, location_is);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, calls, NULL);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
    for (size_t i = 0; i < location_count; i++)
        OTF2_Reader_SelectLocation(reader, locations[i]);
    OTF2_Reader_OpenEvtFiles(reader);
    printf("%llu\n", (unsigned long long)(strcmp(words[2], "global")
                                              ? read_local(reader, strcmp(words[2], "plain") != 0)
                                              : read_global(reader)));
    return 0;
}
