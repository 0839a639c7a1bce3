/* Which message or collective operation a request stands for, when it is made and started. */
#define _GNU_SOURCE
#include "traced_table.h"

void trace_request(const struct block *block, struct trace_event event, MPI_Request request)
{
    event.request = trace_next_request();
    traced_remember(&(struct traced){ .key = request_key(request), .start = event, .active = 1 });
    trace_part(block, event);
}

static struct trace_event of_send(struct communicator *communicator, int peer, int tag,
                                  int64_t bytes)
{
    return (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                 .peer = peer,
                                 .tag = tag,
                                 .kind = EVENT_START_SEND,
                                 .communicator =
                                     (uint16_t)(peer >= 0 ? trace_communicator(communicator) : 0) };
}

static struct trace_event of_receive(struct communicator *communicator, int peer)
{
    return (struct trace_event){ .peer = peer,
                                 .kind = EVENT_START_RECEIVE,
                                 .communicator = (uint16_t)(peer >= 0 || peer == MPI_ANY_SOURCE
                                                                ? trace_communicator(communicator)
                                                                : 0) };
}

void trace_start_send(const struct block *block, struct communicator *communicator, int peer,
                      int tag, int64_t bytes, MPI_Request request)
{
    const struct trace_event event = of_send(communicator, peer, tag, bytes);
    if (event.communicator)
        trace_request(block, event, request);
}

void trace_start_receive(const struct block *block, struct communicator *communicator, int peer,
                         MPI_Request request)
{
    const struct trace_event event = of_receive(communicator, peer);
    if (event.communicator)
        trace_request(block, event, request);
}

void trace_start_matched(const struct block *block, unsigned communicator, MPI_Request request)
{
    if (communicator)
        trace_request(block,
                      (struct trace_event){ .communicator = (uint16_t)communicator,
                                            .peer = MPI_ANY_SOURCE,
                                            .kind = EVENT_START_RECEIVE },
                      request);
}

/* One request for both. MPICH and Intel MPI leave its status as it was: what came from anybody is
 * not told by it. */
void trace_start_exchange(const struct block *block, struct communicator *communicator,
                          int receiver, int tag, int64_t bytes, int sender, int received_tag,
                          MPI_Request request)
{
    struct trace_event send = of_send(communicator, receiver, tag, bytes),
                       receive = of_receive(communicator, sender);
    receive.tag = received_tag;
    if (!receive.communicator || sender < 0 || received_tag < 0) {
        if (send.communicator)
            trace_request(block, send, request);
        return;
    }
    send.request = send.communicator ? trace_next_request() : 0;
    receive.request = trace_next_request();
    traced_remember(&(struct traced){ .key = request_key(request),
                                      .sent = send.request,
                                      .start = receive,
                                      .active = 1,
                                      .told = 1 });
    if (send.communicator)
        trace_part(block, send);
    trace_part(block, receive);
}

static struct trace_event of_collective(unsigned operation, struct communicator *communicator,
                                        int64_t bytes, int root)
{
    return (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                 .operation = (uint16_t)operation,
                                 .kind = EVENT_START_COLLECTIVE,
                                 .peer = root >= 0               ? root
                                         : root == MPI_ROOT      ? ROOT_SELF
                                         : root == MPI_PROC_NULL ? ROOT_THIS_GROUP
                                                                 : ROOT_NONE,
                                 .communicator = (uint16_t)trace_communicator(communicator) };
}

void trace_start_collective(const struct block *block, unsigned operation,
                            struct communicator *communicator, int64_t bytes, int root,
                            MPI_Request request)
{
    const struct trace_event event = of_collective(operation, communicator, bytes, root);
    if (event.communicator)
        trace_request(block, event, request);
}

void trace_persistent(struct trace_event event, MPI_Request request)
{
    if (event.communicator)
        traced_remember(&(struct traced){ .key = request_key(request), .start = event, .kept = 1 });
}

void trace_persistent_send(struct communicator *communicator, int peer, int tag, int64_t bytes,
                           MPI_Request request)
{
    trace_persistent(of_send(communicator, peer, tag, bytes), request);
}

void trace_persistent_receive(struct communicator *communicator, int peer, MPI_Request request)
{
    trace_persistent(of_receive(communicator, peer), request);
}

/* Started in any order: members know them by the order in which they were made. */
void trace_persistent_collective(unsigned operation, struct communicator *communicator,
                                 int64_t bytes, int root, MPI_Request request)
{
    struct trace_event event = of_collective(operation, communicator, bytes, root);
    event.tag = (int32_t)communicator->persistents;
    trace_persistent(event, request);
}

void trace_started(const struct block *block, int count, const MPI_Request *requests)
{
    struct trace_event event;
    for (int i = 0; i < count; i++)
        if (traced_start(request_key(requests[i]), &event))
            trace_part(block, event);
}

void trace_request_freed(MPI_Request request)
{
    traced_drop(request_key(request));
}

void trace_probed(struct communicator *communicator, MPI_Message message)
{
    const unsigned number = trace_communicator(communicator);
    if (number)
        traced_remember(&(struct traced){ .key = message_key(message),
                                          .start = { .communicator = (uint16_t)number },
                                          .active = 1 });
}

unsigned trace_message(MPI_Message message)
{
    struct traced was;
    return traced_forget(message_key(message), &was) ? was.start.communicator : 0;
}
