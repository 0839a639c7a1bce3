/* What the events of a location mean: collective and one-sided calls. */
#include "events.h"
#include <string.h>

enum { SERIES_CALLS, SERIES_NONBLOCKING, SERIES_WINDOWS };

static uint64_t series_key(unsigned series, uint32_t reference) { return mixed(mixed(series + 1) + reference); }

/* The own place among the members, `size` if it has none. Groups mostly are in the order of ranks. */
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

struct collective { unsigned operation; uint32_t root, place; uint64_t sent, received; const struct communicator *communicator; };

static int is_root(const struct collective *collective)
{
    return collective->root == collective->place || collective->root == OTF2_COLLECTIVE_ROOT_SELF;
}

static struct arrival arrival_of(const struct stream *stream, const struct collective *collective, uint64_t post)
{
    return (struct arrival){ .post = post, .call = NO_CALL, .stream = stream->number, .members = collective->communicator->size,
        .rank = stream->own->number, .place = collective->place, .class = collective->communicator->class, .worker = (uint16_t)stream->worker->number,
        .role = (uint8_t)role_of(collective->operation, is_root(collective), collective->sent, collective->received) };
}

/* Who is among the members, or a refusal; intercommunicators are counted only. */
static int takes_part(const struct stream *stream, struct collective *collective)
{
    const struct communicator *communicator = collective->communicator;
    if (communicator->far)
        return 0;
    collective->place = own_place(communicator, (uint32_t)stream->own->number);
    if (collective->place >= communicator->size)
        refuse("rank %d takes part in a collective call of others", (int)stream->own->number);
    if (collective->root >= communicator->size && collective->root < OTF2_COLLECTIVE_ROOT_THIS_GROUP)
        refuse("a collective call in it has a root that is not there");
    return 1;
}

static void take_part(struct stream *stream, struct collective *collective, uint32_t reference, uint64_t series)
{
    const int known = takes_part(stream, collective);
    int64_t bytes = payload(stream, collective->operation, collective->sent, collective->received, collective->communicator, is_root(collective), collective->place);
    stream->communicator = reference + 1;
    stream->class = collective->communicator->class;
    stream->has_size = bytes != NONE;
    stream->bytes = bytes == NONE ? 0 : (uint64_t)bytes;
    stream->lost = !known;
    stream->alone = known && collective->communicator->size == 1;
    if (!known || stream->alone)
        return;
    struct part part = { arrival_of(stream, collective, stream->enter), series, 0, PART_AT_ONCE };
    part.arrival.key = series + mixed(count_next(stream->own, series));
    part_add(stream, &part);
}

static OTF2_CallbackCode calls_all(EVENT, OTF2_CollectiveOp operation, OTF2_CommRef reference, uint32_t root, uint64_t sent, uint64_t received)
{
    BEGIN;
    struct collective collective = { operation, root, 0, sent, received, communicator_of(stream, reference) };
    if (stream->mpi_depth)
        take_part(stream, &collective, reference, series_key(SERIES_CALLS, reference));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode starts_collective(EVENT, uint64_t id)
{
    BEGIN;
    stream->class = CLASS_UNKNOWN;      /* which communicator it is on is said when it is complete */
    start(stream, id, &stream->own->collectives, REQUEST_COLLECTIVE);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode collective_completes(EVENT, OTF2_CollectiveOp operation, OTF2_CommRef reference, uint32_t root, uint64_t sent,
                                              uint64_t received, uint64_t id)
{
    BEGIN;
    struct collective collective = { operation, root, 0, sent, received, communicator_of(stream, reference) };
    struct request *request = request_find(stream->own, id);
    if (!stream->mpi_depth || !request || request->kind != REQUEST_COLLECTIVE)
        return OTF2_CALLBACK_SUCCESS;
    struct waiting *open = queue_at(&stream->own->collectives, request->number);
    struct part part = { .counter = series_key(SERIES_NONBLOCKING, reference), .number = request->number, .kind = PART_COLLECTIVE };
    if (takes_part(stream, &collective) && collective.communicator->size > 1) {
        part.arrival = arrival_of(stream, &collective, request->post);
        part_add(stream, &part);
    } else if (open)
        open->state = WAITING_VOID;
    request_remove(stream->own, request);
    return OTF2_CALLBACK_SUCCESS;
}

static uint32_t communicator_of_window(struct stream *stream, uint32_t window)
{
    if (window >= stream->definitions->window_count || !stream->definitions->windows[window])
        refuse("it uses a window that is not defined");
    return stream->definitions->windows[window] - 1;
}

static OTF2_CallbackCode synchronises(EVENT, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root,
                                      uint64_t sent, uint64_t received)
{
    BEGIN;
    const uint32_t reference = communicator_of_window(stream, window);
    struct collective collective = { operation, root, 0, sent, received, communicator_of(stream, reference) };
    (void)level;
    if (stream->mpi_depth)
        take_part(stream, &collective, reference, series_key(SERIES_WINDOWS, window));
    return OTF2_CALLBACK_SUCCESS;
}

static void access_window(struct stream *stream, uint32_t window, uint32_t remote, uint64_t bytes)
{
    const struct communicator *communicator = communicator_of(stream, communicator_of_window(stream, window));
    if (stream->mpi_depth)
        count_sent(stream, partner(stream, communicator, remote), bytes);
}

static OTF2_CallbackCode puts_bytes(EVENT, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t match)
{
    BEGIN;
    (void)match;
    access_window(stream, window, remote, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode changes(EVENT, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received, uint64_t match)
{
    BEGIN;
    (void)type, (void)match;
    access_window(stream, window, remote, sent ? sent : received);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode makes_window(EVENT, OTF2_RmaWinRef window)
{
    BEGIN;
    static const char *const kinds[] = { "Win_create", "Win_allocate", "Win_allocate_shared", "Win_create_dynamic" };
    const char *name = stream->call ? stream->definitions->operations[stream->call->operation] : "";
    const unsigned class = communicator_of(stream, communicator_of_window(stream, window))->class;
    for (unsigned kind = 0; kind < 4; kind++)
        if (!strcmp(name, kinds[kind]))
            stream->own->rank->windows[kind * CLASSES + class]++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode flushes(EVENT, OTF2_TimeStamp end)
{
    BEGIN;
    (void)end;
    stream->own->rank->flushes++;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_EvtReaderCallbacks *stream_callbacks(void)
{
    OTF2_EvtReaderCallbacks *calls = OTF2_EvtReaderCallbacks_New();
    if (!calls)
        refuse("there is not enough memory");
    message_callbacks(calls);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(calls, calls_all);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(calls, starts_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(calls, collective_completes);
    OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(calls, synchronises);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(calls, puts_bytes);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(calls, puts_bytes);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(calls, changes);
    OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(calls, makes_window);
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(calls, flushes);
    return calls;
}
