/* One call with its parts, as records of OTF2. */
#include "writer.h"
#include <stdlib.h>
#include <string.h>

static uint32_t root_of(int32_t root)
{
    return root == ROOT_SELF         ? OTF2_COLLECTIVE_ROOT_SELF
           : root == ROOT_THIS_GROUP ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
           : root < 0                ? OTF2_COLLECTIVE_ROOT_NONE
                                     : (uint32_t)root;
}

static void put_collective(struct writer *writer, const struct source *source, struct place *place,
                           const struct trace_event *part, uint64_t time)
{
    const struct numbered meant = meaning_of(&source->communicators, part->communicator);
    const struct communicator *communicator = &writer->communicators[meant.index];
    const uint32_t operation =
        meaning_of(&source->operations, part->operation).index; /* is_collective() */
    const int collective = collective_started(writer->operations[operation]),
              among = part->kind == EVENT_NEIGHBOURS_DONE;
    const int32_t root = among ? ROOT_NONE : part->peer;
    const struct sizes sizes = among || communicator->flags & IS_INTER
                                   ? (struct sizes){ part->bytes, part->bytes }
                                   : sizes_of(collective, part->bytes, (uint64_t)communicator->size,
                                              (uint64_t)meant.place, root == meant.place);
    const uint64_t series = (uint64_t)(among ? part->peer : part->tag);
    if (part->kind == EVENT_COLLECTIVE) {
        PUT(MpiCollectiveEnd, (OTF2_CollectiveOp)collective, communicator->reference, root_of(root),
            sizes.sent, sizes.received);
        return;
    }
    if (among)
        check(OTF2_AttributeList_AddGroupRef(
            writer->attributes, ATTRIBUTE_SOURCES,
            FIRST_SET + meaning_of(&source->sets, (uint32_t)part->tag).index));
    if (series)
        check(OTF2_AttributeList_AddUint64(writer->attributes, ATTRIBUTE_SERIES, series));
    PUT_WITH(writer->attributes, NonBlockingCollectiveComplete, (OTF2_CollectiveOp)collective,
             communicator->reference, root_of(root), sizes.sent, sizes.received, part->request);
}

/* What OTF2 says where it completes is known already. */
static void put_started(struct writer *writer, const struct source *source, struct place *place,
                        const struct trace_event *part, uint64_t time)
{
    check(OTF2_AttributeList_AddCommRef(
        writer->attributes, ATTRIBUTE_COMMUNICATOR,
        meaning_of(&source->communicators, part->communicator).index));
    check(OTF2_AttributeList_AddUint64(writer->attributes, ATTRIBUTE_BYTES, part->bytes));
    PUT_WITH(writer->attributes, NonBlockingCollectiveRequest, part->request);
}

/* What was begun when the call was entered. */
static void put_begun(struct writer *writer, const struct source *source, struct place *place,
                      struct opened *opened, const struct trace_event *part, uint64_t time)
{
    const uint32_t comm = meaning_of(&source->communicators, part->communicator).index,
                   peer = (uint32_t)part->peer, tag = (uint32_t)part->tag;
    switch (part->kind) {
    case EVENT_SEND:
        PUT(MpiSend, peer, comm, tag, part->bytes);
        break;
    case EVENT_START_SEND:
        PUT(MpiIsend, peer, comm, tag, part->bytes, part->request);
        break;
    case EVENT_START_RECEIVE:
        PUT(MpiIrecvRequest, part->request);
        break;
    case EVENT_COLLECTIVE:
        PUT(MpiCollectiveBegin);
        break;
    case EVENT_START_COLLECTIVE:
    case EVENT_START_NEIGHBOURS:
        put_started(writer, source, place, part, time);
        break;
    default:
        (void)(remote_begun(writer, source, place, opened, part, time) ||
               file_begun(writer, source, place, opened, part, time));
        return;
    }
    if (part->kind == EVENT_START_SEND || part->kind == EVENT_START_RECEIVE ||
        part->kind == EVENT_START_COLLECTIVE || part->kind == EVENT_START_NEIGHBOURS)
        request_opened(opened, part->request);
}

/* What ended with the call. */
static void put_ended(struct writer *writer, const struct source *source, struct place *place,
                      struct opened *opened, const struct trace_event *part, uint64_t time)
{
    const uint32_t comm = meaning_of(&source->communicators, part->communicator).index,
                   peer = (uint32_t)part->peer, tag = (uint32_t)part->tag;
    const int completes = part->kind == EVENT_SENT || part->kind == EVENT_RECEIVED ||
                          part->kind == EVENT_CANCELLED || part->kind == EVENT_COLLECTED ||
                          part->kind == EVENT_NEIGHBOURS_DONE;
    if (completes && !request_ended(opened, part->request))
        return;
    switch (part->kind) {
    case EVENT_RECEIVE:
        PUT(MpiRecv, peer, comm, tag, part->bytes);
        break;
    case EVENT_SENT:
        PUT(MpiIsendComplete, part->request);
        break;
    case EVENT_RECEIVED:
        PUT(MpiIrecv, peer, comm, tag, part->bytes, part->request);
        break;
    case EVENT_CANCELLED:
        PUT(MpiRequestCancelled, part->request);
        break;
    case EVENT_COLLECTIVE:
    case EVENT_COLLECTED:
    case EVENT_NEIGHBOURS_DONE:
        put_collective(writer, source, place, part, time);
        break;
    default:
        (void)(remote_ended(writer, source, place, opened, part, time) ||
               file_ended(writer, source, place, opened, part, time));
    }
}

/* All counters at once, in front of the enter or leave that they belong to. */
static void put_counters(struct writer *writer, const struct source *source, struct place *place,
                         size_t kept, uint64_t time, int at_begin)
{
    OTF2_Type types[UINT8_MAX];
    OTF2_MetricValue values[UINT8_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < writer->counter_count; i++)
        types[i] = OTF2_TYPE_UINT64;
    for (size_t i = 0; i < kept; i++) {
        const struct trace_event *part = &place->parts[i];
        if (part->kind != EVENT_COUNTER || part->peer != at_begin || count == writer->counter_count)
            continue;
        values[meaning_of(&source->counters, (uint32_t)part->tag).index].unsigned_int = part->bytes;
        count++;
    }
    if (count && count == writer->counter_count)
        PUT(Metric, 0, (uint8_t)count, types, values);
}

/* OTF2 has no record of neighbourhood calls: what is known of them stands beside their begin. */
static void enter(struct writer *writer, struct source *source, struct place *place,
                  uint32_t region, size_t parts, const struct trace_event *call, uint64_t time)
{
    const uint32_t site = site_at(writer, source, call->site);
    int has_neighbours = 0, has_level = 0;
    for (size_t i = 0; i < parts; i++) {
        const struct trace_event *part = &place->parts[i];
        if (part->kind == EVENT_LEVEL && !has_level++)
            check(OTF2_AttributeList_AddInt32(writer->attributes, ATTRIBUTE_LEVEL, part->tag));
        if (part->kind != EVENT_NEIGHBOURS || has_neighbours++)
            continue;
        check(OTF2_AttributeList_AddCommRef(
            writer->attributes, ATTRIBUTE_COMMUNICATOR,
            meaning_of(&source->communicators, part->communicator).index));
        check(OTF2_AttributeList_AddGroupRef(
            writer->attributes, ATTRIBUTE_SOURCES,
            FIRST_SET + meaning_of(&source->sets, (uint32_t)part->tag).index));
        check(OTF2_AttributeList_AddUint64(writer->attributes, ATTRIBUTE_BYTES, part->bytes));
    }
    if (site != NONE) {
        check(
            OTF2_AttributeList_AddSourceCodeLocationRef(writer->attributes, ATTRIBUTE_SITE, site));
        check(OTF2_AttributeList_AddStringRef(writer->attributes, ATTRIBUTE_FUNCTION,
                                              FIRST_SITE_STRING + 2 * site));
    }
    PUT_WITH(writer->attributes, Enter, region); /* which empties the list */
}

static size_t keep_sensible(struct writer *writer, const struct source *source, struct place *place)
{
    size_t kept = 0;
    for (size_t i = 0; i < place->count; i++)
        if (part_makes_sense(writer, source, &place->parts[i]))
            place->parts[kept++] = place->parts[i];
    return kept;
}

void call_write(struct writer *writer, struct source *source, struct place *place,
                struct opened *opened, const struct trace_event *call)
{
    const uint32_t operation = meaning_of(&source->operations, call->operation).index;
    const uint64_t begin = time_of(writer, source, call->begin),
                   end = time_of(writer, source, call->end);
    uint64_t time = begin;
    if (operation == NONE) {
        writer->senseless++;
        return;
    }
    const size_t kept = keep_sensible(writer, source, place);
    put_counters(writer, source, place, kept, begin, 1);
    enter(writer, source, place, FIRST_OPERATION + operation, kept, call, begin);
    for (size_t i = 0; i < kept; i++)
        put_begun(writer, source, place, opened, &place->parts[i], begin);
    for (size_t i = 0; i < kept; i++)
        put_ended(writer, source, place, opened, &place->parts[i], end);
    put_counters(writer, source, place, kept, end, 0);
    time = end;
    PUT(Leave, FIRST_OPERATION + operation);
}

static uint32_t world_of(const struct writer *writer)
{
    uint32_t i = 0;
    while (i < writer->communicator_count && !(writer->communicators[i].flags & IS_WORLD))
        i++;
    return i < writer->communicator_count ? writer->communicators[i].reference : NONE;
}

/* The begin and the end of MPI are collective calls of all, as Score-P has them: Scalasca looks for
 * moments that all ranks were in together. */
void lifecycle_write(struct writer *writer, const struct source *source, struct place *place,
                     uint32_t region, uint64_t begin, uint64_t end)
{
    const uint32_t world = world_of(writer);
    uint64_t time = begin;
    if (region == REGION_FINALIZE) /* counters are read once more */
        put_counters(writer, source, place, keep_sensible(writer, source, place), begin, 1);
    PUT(Enter, region);
    if (world != NONE)
        PUT(MpiCollectiveBegin);
    time = end;
    if (world != NONE)
        PUT(MpiCollectiveEnd,
            region == REGION_FINALIZE ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE
                                      : OTF2_COLLECTIVE_OP_CREATE_HANDLE,
            world, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    PUT(Leave, region);
}
