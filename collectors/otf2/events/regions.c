/* Events of a location: regions. */
#include "events.h"

enum { MOST_DEPTH = 1 << 20 };

/* Where the call at hand is made. All calls from one place name the same function. */
static uint32_t site_of(const struct stream *stream, const OTF2_AttributeList *attributes)
{
    const struct definitions *definitions = stream->definitions;
    OTF2_SourceCodeLocationRef site;
    OTF2_StringRef function;
    if (OTF2_AttributeList_GetSourceCodeLocationRef(
            attributes, definitions->attributes[ATTRIBUTE_SITE] - 1, &site) != OTF2_SUCCESS ||
        site >= definitions->site_count)
        return 0;
    if (!__atomic_load_n(&definitions->sites[site].function, __ATOMIC_RELAXED) &&
        definitions->attributes[ATTRIBUTE_FUNCTION] &&
        OTF2_AttributeList_GetStringRef(attributes, definitions->attributes[ATTRIBUTE_FUNCTION] - 1,
                                        &function) == OTF2_SUCCESS)
        __atomic_store_n(&definitions->sites[site].function, function + 1, __ATOMIC_RELAXED);
    return (uint32_t)definitions->region_count + site + 1;
}

static uint8_t takes_level(struct stream *stream, const OTF2_AttributeList *attributes)
{
    const uint32_t known = stream->definitions->attributes[ATTRIBUTE_LEVEL];
    return known &&
           OTF2_AttributeList_GetInt32(attributes, known - 1, &stream->level) == OTF2_SUCCESS;
}

static COLD void deepen(struct stream *stream)
{
    if (stream->room >= MOST_DEPTH)
        die("its regions are nested more than %d deep", MOST_DEPTH);
    stream->room = 2 * stream->room + 32;
    stream->stack = xrealloc(stream->stack, stream->room, sizeof *stream->stack);
}

static __attribute__((noinline)) OTF2_CallbackCode begins(struct stream *stream, uint32_t number,
                                                          OTF2_AttributeList *attributes)
{
    const struct region *region = &stream->definitions->regions[number];
    if (!stream->mpi_depth && region->kind != KIND_OTHER) {
        call_begin(stream, region,
                   stream->definitions->attributes[ATTRIBUTE_SITE] ? site_of(stream, attributes)
                                                                   : 0);
        if (region->begins || region->ends)
            life_begins(stream);
        if (region->is_neighbour)
            meet_neighbours(stream, attributes);
    }
    if (region->is_user)
        marked_user(stream, number, stream->time, 1);
    else if (region->marks)
        stream->has_level = takes_level(stream, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

static __attribute__((noinline)) OTF2_CallbackCode enters_seldom(struct stream *stream,
                                                                 uint32_t number,
                                                                 OTF2_AttributeList *attributes)
{
    if (number >= stream->definitions->region_count)
        die("it enters a region that is not defined");
    if (stream->depth == stream->room)
        deepen(stream);
    if (!stream->depth && (!stream->rank->first || stream->time < stream->rank->first))
        stream->rank->first = stream->time;
    if (stream->trail && !stream->mpi_depth)
        region_time(stream, stream->time);
    stream->stack[stream->depth++] = number;
    return stream->definitions->regions[number].is_plain ? OTF2_CALLBACK_SUCCESS
                                                         : begins(stream, number, attributes);
}

/* As all do that follow, it calls others only where nothing is left to do after them: then it saves
 * no registers. */
static OTF2_CallbackCode enters(EVENT, OTF2_RegionRef number)
{
    BEGIN;
    const struct definitions *definitions = stream->definitions;
    const uint32_t depth = stream->depth;
    if (UNLIKELY(number >= definitions->region_count || !depth || depth == stream->room ||
                 stream->mpi_depth || (stream->trail && !is_time_added(stream, time))))
        return enters_seldom(stream, number, attributes);
    const struct region *region = &definitions->regions[number];
    stream->stack[depth] = number;
    stream->depth = depth + 1;
    if (region->is_plain)
        return OTF2_CALLBACK_SUCCESS;
    if (region->is_simple_call && !definitions->attributes[ATTRIBUTE_SITE])
        return call_begin(stream, region, 0);
    return begins(stream, number, attributes);
}

static __attribute__((noinline)) OTF2_CallbackCode leaves_other(struct stream *stream)
{
    const uint32_t region = stream->stack[stream->depth - 1];
    if (stream->trail && !stream->mpi_depth)
        region_time(stream, stream->time);
    stream->depth--;
    if (stream->definitions->regions[region].is_user)
        marked_user(stream, region, stream->time, 0);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode leaves(EVENT, OTF2_RegionRef region)
{
    BEGIN;
    const uint32_t depth = stream->depth;
    if (UNLIKELY(!depth || stream->stack[depth - 1] != region))
        die("it leaves a region that it is not in");
    if (depth == stream->mpi_depth)
        return call_end(stream, time);
    if (UNLIKELY(!stream->definitions->regions[region].is_plain || stream->mpi_depth ||
                 (stream->trail && !is_time_added(stream, time))))
        return leaves_other(stream);
    stream->depth = depth - 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode program_begins(EVENT, OTF2_StringRef name, uint32_t count,
                                        const OTF2_StringRef *words)
{
    BEGIN;
    (void)count, (void)words;
    stream->own->rank->program = name + 1;
    return OTF2_CALLBACK_SUCCESS;
}

void region_callbacks(OTF2_EvtReaderCallbacks *calls)
{
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(calls, program_begins);
    OTF2_EvtReaderCallbacks_SetEnterCallback(calls, enters);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(calls, leaves);
}
