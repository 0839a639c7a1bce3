/* One call with its parts, as records of OTF2. */
#include "writer.h"
#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct living *living, uint64_t id)
{
    size_t at = (id * 0x9E3779B97F4A7C15ull >> 20) & (living->room - 1);
    while (living->ids[at] && living->ids[at] != id)
        at = (at + 1) & (living->room - 1);
    return at;
}

static void begin_living(struct living *living, uint64_t id)
{
    if (2 * living->count >= living->room) {
        struct living old = *living;
        living->room = old.room ? 2 * old.room : 256;
        living->ids = memset(room_for(NULL, living->room, sizeof id), 0, living->room * sizeof id);
        for (size_t i = 0; i < old.room; i++)
            if (old.ids[i])
                living->ids[slot_of(living, old.ids[i])] = old.ids[i];
        free(old.ids);
    }
    const size_t at = slot_of(living, id);
    living->count += !living->ids[at];
    living->ids[at] = id;
}

/* Whether the start of a request was written. Ids behind it that were pushed on move back. */
static int end_living(struct living *living, uint64_t id)
{
    if (!living->count || !id || living->ids[slot_of(living, id)] != id)
        return 0;
    size_t at = slot_of(living, id), next = at, mask = living->room - 1;
    while (living->ids[next = (next + 1) & mask]) {
        const size_t home = (living->ids[next] * 0x9E3779B97F4A7C15ull >> 20) & mask;
        if (((next - home) & mask) < ((next - at) & mask))
            continue;
        living->ids[at] = living->ids[next];
        at = next;
    }
    living->ids[at] = 0;
    living->count--;
    return 1;
}

static uint64_t later(struct writer *writer, struct place *place, uint64_t time)
{
    place->time = time > place->time ? time : place->time;
    place->written++;
    writer->begin = writer->begin && writer->begin < place->time ? writer->begin : place->time;
    writer->end = writer->end > place->time ? writer->end : place->time;
    return place->time;
}

#define PUT(call, ...) must(OTF2_EvtWriter_##call(place->to, NULL, later(writer, place, time), ##__VA_ARGS__))

static uint32_t root_of(int32_t root)
{
    return root == ROOT_SELF ? OTF2_COLLECTIVE_ROOT_SELF : root == ROOT_THIS_GROUP ? OTF2_COLLECTIVE_ROOT_THIS_GROUP : root < 0 ? OTF2_COLLECTIVE_ROOT_NONE : (uint32_t)root;
}

static void put_collective(struct writer *writer, const struct source *source, struct place *place, const struct trace_event *part, uint64_t time)
{
    const struct numbered meant = meaning_of(&source->communicators, part->communicator);
    const struct communicator *communicator = &writer->communicators[meant.index];
    const uint32_t operation = meaning_of(&source->operations, part->operation).index;     /* is_collective() */
    const int collective = collective_named(writer->operations[operation]);
    const struct sizes sizes = communicator->flags & IS_INTER ? (struct sizes){ part->bytes, part->bytes }
        : sizes_of(collective, part->bytes, (uint64_t)communicator->size, (uint64_t)meant.place, part->peer == meant.place);
    if (part->kind == EVENT_COLLECTED)
        PUT(NonBlockingCollectiveComplete, (OTF2_CollectiveOp)collective, communicator->reference, root_of(part->peer), sizes.sent, sizes.received, part->request);
    else
        PUT(MpiCollectiveEnd, (OTF2_CollectiveOp)collective, communicator->reference, root_of(part->peer), sizes.sent, sizes.received);
}

static void put_window(struct writer *writer, const struct source *source, struct place *place, const struct trace_event *part, uint64_t time)
{
    const OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
    const uint32_t window = meaning_of(&source->windows, part->communicator).index;
    if (part->kind == EVENT_WINDOW)
        PUT(RmaWinCreate, window);
    if (part->kind == EVENT_WINDOW_FREED)
        PUT(RmaWinDestroy, window);
    PUT(RmaCollectiveEnd, part->kind == EVENT_WINDOW ? OTF2_COLLECTIVE_OP_CREATE_HANDLE : part->kind == EVENT_WINDOW_FREED ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE
        : OTF2_COLLECTIVE_OP_BARRIER, level, window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

/* What was begun when the call was entered. */
static void put_begun(struct writer *writer, const struct source *source, struct place *place, struct living *living, const struct trace_event *part, uint64_t time)
{
    const uint32_t comm = meaning_of(&source->communicators, part->communicator).index, window = meaning_of(&source->windows, part->communicator).index;
    const uint32_t peer = (uint32_t)part->peer, tag = (uint32_t)part->tag;
    switch (part->kind) {
    case EVENT_SEND: PUT(MpiSend, peer, comm, tag, part->bytes); break;
    case EVENT_START_SEND: PUT(MpiIsend, peer, comm, tag, part->bytes, part->request); break;
    case EVENT_START_RECEIVE: PUT(MpiIrecvRequest, part->request); break;
    case EVENT_COLLECTIVE: PUT(MpiCollectiveBegin); break;
    case EVENT_START_COLLECTIVE: PUT(NonBlockingCollectiveRequest, part->request); break;
    case EVENT_PUT: PUT(RmaPut, window, peer, part->bytes, 0); break;
    case EVENT_GET: PUT(RmaGet, window, peer, part->bytes, 0); break;
    case EVENT_ATOMIC: PUT(RmaAtomic, window, peer, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, part->bytes, 0, 0); break;
    case EVENT_SYNCHRONISE: case EVENT_WINDOW: case EVENT_WINDOW_FREED: PUT(RmaCollectiveBegin); break;
    }
    if (part->kind == EVENT_START_SEND || part->kind == EVENT_START_RECEIVE || part->kind == EVENT_START_COLLECTIVE)
        begin_living(living, part->request);
}

/* What ended with the call. */
static void put_ended(struct writer *writer, const struct source *source, struct place *place, struct living *living, const struct trace_event *part, uint64_t time)
{
    const uint32_t comm = meaning_of(&source->communicators, part->communicator).index, window = meaning_of(&source->windows, part->communicator).index;
    const uint32_t peer = (uint32_t)part->peer, tag = (uint32_t)part->tag;
    const int completes = part->kind == EVENT_SENT || part->kind == EVENT_RECEIVED || part->kind == EVENT_CANCELLED || part->kind == EVENT_COLLECTED;
    if (completes && !end_living(living, part->request))
        return;
    switch (part->kind) {
    case EVENT_RECEIVE: PUT(MpiRecv, peer, comm, tag, part->bytes); break;
    case EVENT_SENT: PUT(MpiIsendComplete, part->request); break;
    case EVENT_RECEIVED: PUT(MpiIrecv, peer, comm, tag, part->bytes, part->request); break;
    case EVENT_CANCELLED: PUT(MpiRequestCancelled, part->request); break;
    case EVENT_COLLECTIVE: case EVENT_COLLECTED: put_collective(writer, source, place, part, time); break;
    case EVENT_SYNCHRONISE: case EVENT_WINDOW: case EVENT_WINDOW_FREED: put_window(writer, source, place, part, time); break;
    case EVENT_LOCK: PUT(RmaAcquireLock, window, peer, 0, part->tag ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE); break;
    case EVENT_UNLOCK: PUT(RmaReleaseLock, window, peer, 0); break;
    case EVENT_MEET: PUT(RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, window, FIRST_SET + meaning_of(&source->sets, tag).index); break;
    }
}

static int is_collective(const struct writer *writer, const struct source *source, uint16_t number)
{
    const uint32_t operation = meaning_of(&source->operations, number).index;
    return operation != NONE && collective_named(writer->operations[operation]) >= 0;
}

/* Of things that are defined, with a partner that is there. A receive that is started has no partner yet. */
static int makes_sense(struct writer *writer, const struct source *source, const struct trace_event *part)
{
    const int is_window = part->kind >= EVENT_PUT && part->kind <= EVENT_MEET;
    const int has_peer = part->kind != EVENT_START_RECEIVE && (part->kind <= EVENT_RECEIVED || is_window);
    const struct numbered meant = meaning_of(is_window ? &source->windows : &source->communicators, part->communicator);
    const struct communicator *communicator = meant.index == NONE ? NULL : &writer->communicators[is_window ? writer->windows[meant.index].communicator : meant.index];
    if (communicator && communicator->reference == NONE) {
        writer->unplaced++;
        return 0;
    }
    const int32_t partners = !communicator ? 0 : communicator->size > communicator->size_far ? communicator->size : communicator->size_far;
    const int starts = part->kind == EVENT_START_SEND || part->kind == EVENT_START_RECEIVE || part->kind == EVENT_START_COLLECTIVE;
    const int good = communicator && part->kind < EVENT_KINDS && part->peer < partners && (part->peer >= 0 || !has_peer) && (part->request || !starts)
        && ((part->kind != EVENT_MEET && part->kind != EVENT_NEIGHBOURS) || meaning_of(&source->sets, (uint32_t)part->tag).index != NONE)
        && (part->kind < EVENT_COLLECTIVE || part->kind > EVENT_COLLECTED || is_collective(writer, source, part->operation));
    writer->senseless += !good;
    return good;
}

/* OTF2 has no record of neighbourhood calls: what is known of them stands beside their begin. */
static void enter(struct writer *writer, const struct source *source, struct place *place, uint32_t region, size_t parts, uint64_t time)
{
    OTF2_AttributeList *list = NULL;
    for (size_t i = 0; i < parts && !list; i++) {
        const struct trace_event *part = &place->parts[i];
        if (part->kind != EVENT_NEIGHBOURS || !(list = OTF2_AttributeList_New()))
            continue;
        must(OTF2_AttributeList_AddCommRef(list, ATTRIBUTE_COMMUNICATOR, meaning_of(&source->communicators, part->communicator).index));
        must(OTF2_AttributeList_AddGroupRef(list, ATTRIBUTE_SOURCES, FIRST_SET + meaning_of(&source->sets, (uint32_t)part->tag).index));
        must(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_BYTES, part->bytes));
    }
    must(OTF2_EvtWriter_Enter(place->to, list, later(writer, place, time), region));
    if (list)
        OTF2_AttributeList_Delete(list);
}

void call_write(struct writer *writer, const struct source *source, struct place *place, struct living *living, const struct trace_event *call)
{
    const uint32_t operation = meaning_of(&source->operations, call->operation).index;
    const uint64_t begin = time_of(writer, source, call->begin), end = time_of(writer, source, call->end);
    uint64_t time = begin;
    if (operation == NONE) {
        writer->senseless++;
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < place->count; i++)
        if (makes_sense(writer, source, &place->parts[i]))
            place->parts[kept++] = place->parts[i];
    enter(writer, source, place, FIRST_OPERATION + operation, kept, begin);
    for (size_t i = 0; i < kept; i++)
        put_begun(writer, source, place, living, &place->parts[i], begin);
    for (size_t i = 0; i < kept; i++)
        put_ended(writer, source, place, living, &place->parts[i], end);
    time = end;
    PUT(Leave, FIRST_OPERATION + operation);
}

void region_write(struct writer *writer, struct place *place, uint32_t region, uint64_t begin, uint64_t end)
{
    uint64_t time = begin;
    PUT(Enter, region);
    time = end;
    PUT(Leave, region);
}
