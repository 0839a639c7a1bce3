/* Events of a location: collective calls. */
#include "events.h"
#include <math.h>

uint64_t series_key(unsigned series, uint32_t reference)
{
    return mixed(mixed(series + 1) + reference);
}

/* The own place among the members, `size` if it has none. Groups mostly are in the order of ranks.
 */
static uint32_t own_place(const struct communicator *communicator, uint32_t rank)
{
    uint32_t place = rank < communicator->size ? rank : 0, tried = 0;
    if (communicator->is_self)
        return 0;
    while (tried < communicator->size && communicator->ranks[place] != rank) {
        place = place ? place - 1 : communicator->size - 1;
        tried++;
    }
    return tried < communicator->size ? place : communicator->size;
}

static int is_root(const struct collective *collective)
{
    return collective->root == collective->place || collective->root == OTF2_COLLECTIVE_ROOT_SELF;
}

static void arrive(const struct stream *stream, struct arrival *to,
                   const struct collective *collective, uint64_t post)
{
    to->post = post;
    to->call = NO_CALL;
    to->stream = stream->number;
    to->members = collective->communicator->size;
    to->rank = stream->own->number;
    to->place = collective->place;
    to->role = (uint8_t)role_of(collective->operation, is_root(collective), collective->sent,
                                collective->received);
    to->class = collective->communicator->class;
    to->worker = (uint16_t)stream->worker->number;
}

/* Seconds that a message may be underway, and bytes a second at least, inside a host and between
 * two, as in pmpi/finish/wait_calls.c. */
#define SETTLED   50e-6
#define NEAR_RATE 1e9
#define FAR_RATE  1e8

/* What it takes at most to hand over as many bytes as others of its size bin have. */
static uint32_t ticks_for(const struct stream *stream, int64_t bytes)
{
    const double rate = stream->class == CLASS_INTRA_NODE ? NEAR_RATE : FAR_RATE,
                 most = bytes > 0 ? ldexp(1, 64 - __builtin_clzll((uint64_t)bytes)) : 1,
                 ticks = (SETTLED + most / rate) * (double)stream->definitions->resolution;
    return ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

/* Who is among the members, or a refusal; intercommunicators are counted only. */
static int takes_part(const struct stream *stream, struct collective *collective)
{
    const struct communicator *communicator = collective->communicator;
    if (communicator->far)
        return 0;
    collective->place = own_place(communicator, (uint32_t)stream->own->number);
    if (collective->place >= communicator->size)
        die("rank %d takes part in a collective call of others", (int)stream->own->number);
    if (collective->root >= communicator->size &&
        collective->root < OTF2_COLLECTIVE_ROOT_THIS_GROUP)
        die("a collective call in it has a root that is not there");
    return 1;
}

void take_part(struct stream *stream, struct collective *collective, uint32_t reference,
               uint64_t series)
{
    const int known = takes_part(stream, collective);
    int64_t bytes = payload(stream, collective->operation, collective->sent, collective->received,
                            collective->communicator, is_root(collective), collective->place);
    stream->communicator = reference + 1;
    stream->class = collective->communicator->class;
    stream->has_size = bytes != NONE;
    stream->bytes = bytes == NONE ? 0 : (uint64_t)bytes;
    stream->lost = !known;
    stream->alone = known && collective->communicator->size == 1;
    if (!known || stream->alone)
        return;
    struct part *part = part_add(stream);
    arrive(stream, &part->arrival, collective, stream->enter);
    if (gives(&part->arrival))
        part->arrival.place = ticks_for(stream, bytes);
    part->arrival.key = key_of(series, count_next(stream->own, series));
    part->kind = PART_AT_ONCE;
}

static OTF2_CallbackCode calls_all(EVENT, OTF2_CollectiveOp operation, OTF2_CommRef reference,
                                   uint32_t root, uint64_t sent, uint64_t received)
{
    BEGIN;
    struct collective collective = { operation, root,     0,
                                     sent,      received, communicator_of(stream, reference) };
    if (stream->mpi_depth &&
        stream->call->kind != KIND_LIFECYCLE) /* MPI_Init is said to make a communicator */
        take_part(stream, &collective, reference, series_key(SERIES_CALLS, reference));
    return OTF2_CALLBACK_SUCCESS;
}

/* … but in archives of ours, also by attributes of its start. */
static void take_payload(struct stream *stream, const OTF2_AttributeList *attributes)
{
    const uint32_t *known = stream->definitions->attributes;
    OTF2_CommRef reference;
    uint64_t bytes;
    if (!known[ATTRIBUTE_COMMUNICATOR] ||
        OTF2_AttributeList_GetCommRef(attributes, known[ATTRIBUTE_COMMUNICATOR] - 1, &reference) !=
            OTF2_SUCCESS ||
        OTF2_AttributeList_GetUint64(attributes, known[ATTRIBUTE_BYTES] - 1, &bytes) !=
            OTF2_SUCCESS)
        return;
    stream->class = communicator_of(stream, reference)->class;
    stream->communicator =
        stream->call->starts ? 0 : reference + 1; /* of several there may be several */
    stream->has_size |= stream->call->carries || bytes;
    stream->bytes += bytes;
}

static OTF2_CallbackCode starts_collective(EVENT, uint64_t id)
{
    BEGIN;
    stream->class = CLASS_UNKNOWN; /* which communicator it is on is said when it is complete */
    if (stream->mpi_depth && stream->definitions->attributes[ATTRIBUTE_BYTES])
        take_payload(stream, attributes);
    start(stream, id, &stream->own->collectives, REQUEST_COLLECTIVE);
    return OTF2_CALLBACK_SUCCESS;
}

/* Of persistent operations, which may be started in any order, which one it is; of neighbours, whom
 * it receives from. */
static void find_series(const struct stream *stream, const OTF2_AttributeList *attributes,
                        uint64_t *series, uint32_t *from)
{
    const struct definitions *definitions = stream->definitions;
    if (definitions->attributes[ATTRIBUTE_SERIES])
        OTF2_AttributeList_GetUint64(attributes, definitions->attributes[ATTRIBUTE_SERIES] - 1,
                                     series);
    if (definitions->attributes[ATTRIBUTE_FROM])
        OTF2_AttributeList_GetGroupRef(attributes, definitions->attributes[ATTRIBUTE_FROM] - 1,
                                       from);
    if (*from != OTF2_UNDEFINED_GROUP &&
        (*from >= definitions->group_count || !definitions->groups[*from].defined))
        die("a neighbourhood call in it receives from a group that is not there");
}

static OTF2_CallbackCode collective_completes(EVENT, OTF2_CollectiveOp operation,
                                              OTF2_CommRef reference, uint32_t root, uint64_t sent,
                                              uint64_t received, uint64_t id)
{
    BEGIN;
    struct collective collective = { operation, root,     0,
                                     sent,      received, communicator_of(stream, reference) };
    struct request *request = request_find(stream->own, id);
    if (!stream->mpi_depth || !request || request->kind != REQUEST_COLLECTIVE)
        return OTF2_CALLBACK_SUCCESS;
    struct waiting *open = queue_at(&stream->own->collectives, request->number);
    uint64_t series = 0;
    uint32_t from = OTF2_UNDEFINED_GROUP;
    find_series(stream, attributes, &series, &from);
    const int among = from != OTF2_UNDEFINED_GROUP;
    struct part part = {
        .counter = series_key(among ? SERIES_STARTED_NEIGHBOURS : SERIES_NONBLOCKING, reference) +
                   mixed(series),
        .number = request->number,
        .kind = PART_COLLECTIVE
    };
    if (takes_part(stream, &collective) && collective.communicator->size > 1) {
        arrive(stream, &part.arrival, &collective, request->post);
        part.arrival.role = among ? ROLE_POSTS | ROLE_WAITS | ROLE_NEIGHBOURS : part.arrival.role;
        if (gives(&part.arrival)) /* nobody knows when its data was taken */
            part.arrival.role = ROLE_POSTS;
        part.arrival.place = among ? from : part.arrival.place;
        *part_add(stream) = part;
    } else if (open) {
        open->state = WAITING_VOID;
        release(stream, &stream->own->collectives);
    }
    request_remove(stream->own, request);
    return OTF2_CALLBACK_SUCCESS;
}

/* OTF2 has no record of neighbourhood calls: what is known of one stands in attributes of its
 * begin. */
void meet_neighbours(struct stream *stream, OTF2_AttributeList *attributes)
{
    const struct definitions *definitions = stream->definitions;
    const uint32_t *known = definitions->attributes;
    OTF2_CommRef reference;
    OTF2_GroupRef from = OTF2_UNDEFINED_GROUP;
    uint64_t bytes, series;
    find_series(stream, attributes, &series, &from);
    if (!known[ATTRIBUTE_COMMUNICATOR] || from == OTF2_UNDEFINED_GROUP ||
        OTF2_AttributeList_GetCommRef(attributes, known[ATTRIBUTE_COMMUNICATOR] - 1, &reference) !=
            OTF2_SUCCESS)
        return;
    struct collective collective = {
        OTF2_COLLECTIVE_OP_BARRIER,        OTF2_COLLECTIVE_ROOT_NONE, 0, 0, 0,
        communicator_of(stream, reference)
    };
    take_part(stream, &collective, reference, series_key(SERIES_NEIGHBOURS, reference));
    stream->has_size = known[ATTRIBUTE_BYTES] &&
                       OTF2_AttributeList_GetUint64(attributes, known[ATTRIBUTE_BYTES] - 1,
                                                    &bytes) == OTF2_SUCCESS;
    stream->bytes = stream->has_size ? bytes : 0;
    for (size_t i = 0; i < stream->part_count; i++) {
        stream->parts[i].arrival.role |= ROLE_NEIGHBOURS;
        stream->parts[i].arrival.place = from;
    }
}

void collective_callbacks(OTF2_EvtReaderCallbacks *calls)
{
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(calls, calls_all);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(calls, starts_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(calls, collective_completes);
}
