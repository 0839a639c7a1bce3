/* Requests that are complete: what came with them. */
#define _GNU_SOURCE
#include "traced_table.h"
#include <stdlib.h>

/* Threads remember what the call at hand was given: the library clears handles of requests that are
 * complete. */
static __thread struct {
    MPI_Request *requests;
    MPI_Status *statuses;
    int count, room, status_room;
} own __attribute__((tls_model("initial-exec")));

void trace_watch(int count, const MPI_Request *requests)
{
    if (count > own.room) {
        MPI_Request *more = realloc(own.requests, sizeof *more * (size_t)count * 2);
        own.room = more ? count * 2 : own.room;
        own.requests = more ? more : own.requests;
    }
    own.count = count < own.room ? count : own.room;
    for (int i = 0; i < own.count; i++)
        own.requests[i] = requests[i];
}

MPI_Status *trace_statuses(int count, MPI_Status *wanted)
{
    if (wanted != MPI_STATUS_IGNORE && wanted != MPI_STATUSES_IGNORE)
        return wanted;
    if (count > own.status_room) {
        MPI_Status *more = realloc(own.statuses, sizeof *more * (size_t)count * 2);
        if (!more)
            return wanted;
        own.statuses = more;
        own.status_room = count * 2;
    }
    return count > 0 ? own.statuses : wanted;
}

static int is_ignored(const MPI_Status *status)
{
    return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE;
}

uint64_t trace_bytes_in(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    return !is_ignored(status) && real.Get_elements_x &&
                   real.Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0
               ? (uint64_t)bytes
               : 0;
}

static void received(const struct block *block, struct trace_event event, unsigned kind,
                     const MPI_Status *status)
{
    if (is_ignored(status) || status->MPI_SOURCE < 0)
        return;
    event.peer = status->MPI_SOURCE;
    event.tag = status->MPI_TAG;
    event.bytes = trace_bytes_in(status);
    event.kind = (uint8_t)kind;
    trace_part(block, event);
}

void trace_receive(const struct block *block, unsigned communicator, const MPI_Status *status)
{
    if (communicator)
        received(block, (struct trace_event){ .communicator = (uint16_t)communicator },
                 EVENT_RECEIVE, status);
}

static void received_as_told(const struct block *block, struct trace_event event,
                             const MPI_Status *status)
{
    event.bytes =
        !is_ignored(status) && status->MPI_SOURCE == event.peer && status->MPI_TAG == event.tag
            ? trace_bytes_in(status)
            : 0;
    event.kind = EVENT_RECEIVED;
    trace_part(block, event);
}

static struct trace_event completed(struct trace_event event, const MPI_Status *status)
{
    const int is_file = event.kind == EVENT_START_READ || event.kind == EVENT_START_WRITE;
    event.bytes = is_file ? trace_bytes_in(status) : event.bytes;
    event.kind = is_file                                ? EVENT_FILE_DONE
                 : event.kind == EVENT_START_SEND       ? EVENT_SENT
                 : event.kind == EVENT_START_COLLECTIVE ? EVENT_COLLECTED
                 : event.kind == EVENT_START_NEIGHBOURS ? EVENT_NEIGHBOURS_DONE
                                                        : EVENT_REMOTE_DONE;
    return event;
}

void trace_completed(const struct block *block, int index, const MPI_Status *status)
{
    struct traced was;
    int cancelled = 0;
    if (index < 0 || index >= own.count || own.requests[index] == MPI_REQUEST_NULL ||
        !traced_forget(request_key(own.requests[index]), &was) || !was.active)
        return;
    if (was.sent)
        trace_part(block, (struct trace_event){ .request = was.sent,
                                                .communicator = was.start.communicator,
                                                .kind = EVENT_SENT });
    if (was.told) {
        received_as_told(block, was.start, status);
        return;
    }
    if (!is_ignored(status) && real.Test_cancelled(status, &cancelled) == MPI_SUCCESS && cancelled)
        was.start.kind = EVENT_CANCELLED;
    else if (was.start.kind == EVENT_START_RECEIVE) {
        received(block, was.start, EVENT_RECEIVED, status);
        return;
    } else
        was.start = completed(was.start, status);
    trace_part(block, was.start);
}

void trace_completed_all(const struct block *block, int count, const MPI_Status *statuses)
{
    for (int i = 0; i < count; i++)
        trace_completed(block, i, is_ignored(statuses) ? statuses : &statuses[i]);
}

void trace_completed_some(const struct block *block, int count, const int *indices,
                          const MPI_Status *statuses)
{
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        trace_completed(block, indices[i], is_ignored(statuses) ? statuses : &statuses[i]);
}
