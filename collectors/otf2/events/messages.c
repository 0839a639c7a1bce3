/* Events of a location: messages. */
#include "events.h"

static uint64_t message_key(uint32_t communicator, uint32_t from, uint32_t to, uint32_t tag)
{
    return mixed(mixed((uint64_t)communicator << 32 | tag) + ((uint64_t)from << 32 | to));
}

/* Whether messages of this location can be matched: not once a second thread of its rank exchanges
 * some. */
static int is_matched(struct stream *stream)
{
    struct own *own = stream->own;
    if (!own->talker)
        own->talker = stream;
    if (own->talker != stream)
        own->threads_talk = 1;
    if (own->threads_talk) {
        stream->lost = 1;
        own->rank->unmatched++;
    }
    return !own->threads_talk;
}

/* Filled where it is: what is put together elsewhere and copied at once waits for its own stores.
 */
static void message_end(const struct stream *stream, struct arrival *to, uint64_t post,
                        unsigned role, unsigned path)
{
    to->post = post;
    to->call = NO_CALL;
    to->stream = stream->number;
    to->members = 2;
    to->rank = stream->own->number;
    to->place = 0;
    to->role = (uint8_t)role;
    to->class = (uint8_t)path;
    to->worker = (uint16_t)stream->worker->number;
}

void count_sent(struct stream *stream, uint32_t peer, uint64_t bytes)
{
    stream->class = (uint8_t)path_to(stream, peer);
    stream->bytes += bytes;
    stream->has_size = 1;
    peer_add(stream->own->rank, peer, stream->class, bytes);
}

static OTF2_CallbackCode sends(EVENT, uint32_t receiver, OTF2_CommRef reference, uint32_t tag,
                               uint64_t bytes)
{
    BEGIN;
    const uint32_t peer = partner(stream, communicator_of(stream, reference), receiver);
    count_sent(stream, peer, bytes);
    if (!stream->mpi_depth || !is_matched(stream))
        return OTF2_CALLBACK_SUCCESS;
    const uint64_t counter = message_key(reference, (uint32_t)stream->own->number, peer, tag);
    struct part *part = part_add(stream);
    message_end(stream, &part->arrival, stream->enter, ROLE_POSTS | ROLE_WAITS | ROLE_SENDS,
                stream->class);
    part->arrival.key = key_of(counter, count_next(stream->own, counter));
    part->kind = PART_AT_ONCE;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode starts_send(EVENT, uint32_t receiver, OTF2_CommRef reference, uint32_t tag,
                                     uint64_t bytes, uint64_t id)
{
    BEGIN;
    const uint32_t peer = partner(stream, communicator_of(stream, reference), receiver);
    const uint64_t counter = message_key(reference, (uint32_t)stream->own->number, peer, tag);
    count_sent(stream, peer, bytes);
    if (!stream->mpi_depth || !is_matched(stream))
        return OTF2_CALLBACK_SUCCESS;
    struct request *request = request_add(stream->own, id);
    request->kind = REQUEST_SEND;
    request->key = key_of(counter, count_next(stream->own, counter));
    request->post = stream->enter;
    request->class = stream->class;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode send_completes(EVENT, uint64_t id)
{
    BEGIN;
    struct request *request = request_find(stream->own, id);
    if (!request || request->kind != REQUEST_SEND || !stream->mpi_depth)
        return OTF2_CALLBACK_SUCCESS;
    struct part *part = part_add(stream);
    message_end(stream, &part->arrival, request->post, ROLE_POSTS | ROLE_WAITS | ROLE_SENDS,
                request->class);
    part->arrival.key = request->key;
    part->kind = PART_AT_ONCE;
    request_remove(stream->own, request);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode receives(EVENT, uint32_t sender, OTF2_CommRef reference, uint32_t tag,
                                  uint64_t bytes)
{
    BEGIN;
    const uint32_t peer = partner(stream, communicator_of(stream, reference), sender);
    (void)bytes;
    if (!stream->mpi_depth)
        return OTF2_CALLBACK_SUCCESS;
    if (!stream->has_size)
        stream->class = (uint8_t)path_to(stream, peer);
    if (!is_matched(stream))
        return OTF2_CALLBACK_SUCCESS;
    struct part *part = part_add(stream);
    message_end(stream, &part->arrival, stream->enter, ROLE_POSTS | ROLE_WAITS | ROLE_RECEIVES,
                path_to(stream, peer));
    part->counter = message_key(reference, peer, (uint32_t)stream->own->number, tag);
    part->kind = PART_RECEIVE;
    return OTF2_CALLBACK_SUCCESS;
}

void start(struct stream *stream, uint64_t id, struct queue *queue, unsigned kind)
{
    if (!stream->mpi_depth)
        return;
    struct request *request = request_add(stream->own, id);
    request->kind = (uint8_t)kind;
    request->post = stream->enter;
    request->number = queue_add(queue);
}

static OTF2_CallbackCode starts_receive(EVENT, uint64_t id)
{
    BEGIN;
    stream->class = CLASS_UNKNOWN; /* who will send is said when it has come */
    if (stream->mpi_depth && is_matched(stream))
        start(stream, id, &stream->own->receives, REQUEST_RECEIVE);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode receive_completes(EVENT, uint32_t sender, OTF2_CommRef reference,
                                           uint32_t tag, uint64_t bytes, uint64_t id)
{
    BEGIN;
    const uint32_t peer = partner(stream, communicator_of(stream, reference), sender);
    struct request *request = request_find(stream->own, id);
    (void)bytes;
    if (!request || request->kind != REQUEST_RECEIVE || !stream->mpi_depth) {
        stream->lost = 1;
        stream->own->rank->unmatched++;
        return OTF2_CALLBACK_SUCCESS;
    }
    struct part *part = part_add(stream);
    message_end(stream, &part->arrival, request->post, ROLE_POSTS | ROLE_WAITS | ROLE_RECEIVES,
                path_to(stream, peer));
    part->counter = message_key(reference, peer, (uint32_t)stream->own->number, tag);
    part->number = request->number;
    part->kind = PART_QUEUED_RECEIVE;
    request_remove(stream->own, request);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode is_cancelled(EVENT, uint64_t id)
{
    BEGIN;
    struct request *request = request_find(stream->own, id);
    struct waiting *open = request && request->kind == REQUEST_RECEIVE
                               ? queue_at(&stream->own->receives, request->number)
                               : NULL;
    if (open) {
        open->state = WAITING_VOID;
        release(stream, &stream->own->receives); /* those behind it are complete */
    }
    if (request)
        request_remove(stream->own, request);
    return OTF2_CALLBACK_SUCCESS;
}

void message_callbacks(OTF2_EvtReaderCallbacks *calls)
{
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(calls, sends);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(calls, starts_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(calls, send_completes);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(calls, receives);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(calls, starts_receive);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(calls, receive_completes);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(calls, is_cancelled);
}

/* Sends that nobody saw completing were posted all the same: their receivers may have waited. */
void stream_end(struct stream *stream)
{
    struct own *own = stream->own;
    own->rank->last = stream->time > own->rank->last ? stream->time : own->rank->last;
    marked_end(stream, stream->time);
    if (stream->trail) {
        metered_end(stream);
        end_trail(stream);
    }
    if (own->talker != stream)
        return;
    for (size_t i = 0; i < own->request_room; i++)
        if (own->requests[i].kind == REQUEST_SEND) {
            struct arrival arrival = { 0 };
            message_end(stream, &arrival, own->requests[i].post, ROLE_POSTS,
                        own->requests[i].class);
            arrival.key = own->requests[i].key;
            *stream_send(stream, arrival.key) = arrival;
        }
    for (struct waiting *open = queue_at(&own->receives, own->receives.base); open;
         open = queue_at(&own->receives, own->receives.base)) {
        if (open->state == WAITING_OPEN)
            open->state = WAITING_VOID;
        release(stream, &own->receives);
    }
}
