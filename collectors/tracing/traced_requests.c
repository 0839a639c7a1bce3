/* Which message or collective operation a request stands for, from its start to its completion.
 *
 * A table of open addressing, at most half full. The same handle may stand in it more than once: libraries hand out one
 * request for all sends that were complete at once. */
#define _GNU_SOURCE
#include "tracing.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 17 };   /* home() takes 17 bits */
/* start: the event that starting it is. sent: the number of a send that is complete together with it, 0: none. kept: a persistent request, which is
 * there until it is freed. told: the start says from whom, with which tag. */
struct traced { uint64_t key, sent; struct trace_event start; uint8_t kept, active, told; };

static struct traced table[ROOM];
static unsigned used, busy;
static uint64_t requests_started;                                          /* its number is the request's */
static uint64_t lost;

static uint64_t request_key(MPI_Request request) { return (uint64_t)(uintptr_t)request * 2 + 2; }
static uint64_t message_key(MPI_Message message) { return (uint64_t)(uintptr_t)message * 2 + 1; }

static void take(void)
{
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void leave(void) { __atomic_store_n(&busy, 0, __ATOMIC_RELEASE); }
static size_t home(uint64_t key) { return (size_t)(key * 0x9E3779B97F4A7C15ull >> 47); }

static struct traced *find(uint64_t key)
{
    size_t at = home(key);
    while (table[at].key && table[at].key != key)
        at = (at + 1) & (ROOM - 1);
    return table[at].key ? &table[at] : NULL;
}

static void add(struct traced fresh)
{
    size_t at = home(fresh.key);
    if (used >= ROOM / 2) {
        lost++;
        return;
    }
    while (table[at].key)
        at = (at + 1) & (ROOM - 1);
    table[at] = fresh;
    used++;
}

/* Those behind it that were pushed on move back. */
static void drop(struct traced *gone)
{
    size_t at = (size_t)(gone - table), next = at;
    while (table[next = (next + 1) & (ROOM - 1)].key) {
        if (((next - home(table[next].key)) & (ROOM - 1)) < ((next - at) & (ROOM - 1)))
            continue;
        table[at] = table[next];
        at = next;
    }
    table[at].key = 0;
    used--;
}

uint64_t trace_lost_requests(void) { return __atomic_load_n(&lost, __ATOMIC_RELAXED); }

static void remember(struct traced made)
{
    take();
    add(made);
    leave();
}

uint64_t trace_next_request(void) { return __atomic_add_fetch(&requests_started, 1, __ATOMIC_RELAXED); }

void trace_request(const struct block *block, struct trace_event event, MPI_Request request)
{
    event.request = trace_next_request();
    remember((struct traced){ .key = request_key(request), .start = event, .active = 1 });
    trace_part(block, event);
}

static struct trace_event of_send(struct communicator *communicator, int peer, int tag, int64_t bytes)
{
    return (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0, .peer = peer, .tag = tag, .kind = EVENT_START_SEND,
        .communicator = (uint16_t)(peer >= 0 ? trace_communicator(communicator) : 0) };
}

static struct trace_event of_receive(struct communicator *communicator, int peer)
{
    return (struct trace_event){ .peer = peer, .kind = EVENT_START_RECEIVE,
        .communicator = (uint16_t)(peer >= 0 || peer == MPI_ANY_SOURCE ? trace_communicator(communicator) : 0) };
}

void trace_start_send(const struct block *block, struct communicator *communicator, int peer, int tag, int64_t bytes, MPI_Request request)
{
    const struct trace_event event = of_send(communicator, peer, tag, bytes);
    if (event.communicator)
        trace_request(block, event, request);
}

void trace_start_receive(const struct block *block, struct communicator *communicator, int peer, MPI_Request request)
{
    const struct trace_event event = of_receive(communicator, peer);
    if (event.communicator)
        trace_request(block, event, request);
}

void trace_start_matched(const struct block *block, unsigned communicator, MPI_Request request)
{
    if (communicator)
        trace_request(block, (struct trace_event){ .communicator = (uint16_t)communicator, .peer = MPI_ANY_SOURCE, .kind = EVENT_START_RECEIVE }, request);
}

/* One request for both. MPICH and Intel MPI leave its status as it was: what came from anybody is not told by it. */
void trace_start_exchange(const struct block *block, struct communicator *communicator, int receiver, int tag, int64_t bytes, int sender, int received_tag, MPI_Request request)
{
    struct trace_event send = of_send(communicator, receiver, tag, bytes), receive = of_receive(communicator, sender);
    receive.tag = received_tag;
    if (!receive.communicator || sender < 0 || received_tag < 0) {
        if (send.communicator)
            trace_request(block, send, request);
        return;
    }
    send.request = send.communicator ? trace_next_request() : 0;
    receive.request = trace_next_request();
    remember((struct traced){ .key = request_key(request), .sent = send.request, .start = receive, .active = 1, .told = 1 });
    if (send.communicator)
        trace_part(block, send);
    trace_part(block, receive);
}

static struct trace_event of_collective(unsigned operation, struct communicator *communicator, int64_t bytes, int root)
{
    return (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0, .operation = (uint16_t)operation, .kind = EVENT_START_COLLECTIVE,
        .peer = root >= 0 ? root : root == MPI_ROOT ? ROOT_SELF : root == MPI_PROC_NULL ? ROOT_THIS_GROUP : ROOT_NONE,
        .communicator = (uint16_t)trace_communicator(communicator) };
}

void trace_start_collective(const struct block *block, unsigned operation, struct communicator *communicator, int64_t bytes, int root, MPI_Request request)
{
    const struct trace_event event = of_collective(operation, communicator, bytes, root);
    if (event.communicator)
        trace_request(block, event, request);
}

void trace_persistent(struct trace_event event, MPI_Request request)
{
    if (event.communicator)
        remember((struct traced){ .key = request_key(request), .start = event, .kept = 1 });
}

void trace_persistent_send(struct communicator *communicator, int peer, int tag, int64_t bytes, MPI_Request request)
{
    trace_persistent(of_send(communicator, peer, tag, bytes), request);
}

void trace_persistent_receive(struct communicator *communicator, int peer, MPI_Request request) { trace_persistent(of_receive(communicator, peer), request); }

/* Started in any order: members know them by the order in which they were made. */
void trace_persistent_collective(unsigned operation, struct communicator *communicator, int64_t bytes, int root, MPI_Request request)
{
    struct trace_event event = of_collective(operation, communicator, bytes, root);
    event.tag = (int32_t)communicator->persistents;
    trace_persistent(event, request);
}

void trace_started(const struct block *block, int count, const MPI_Request *requests)
{
    for (int i = 0; i < count; i++) {
        take();
        struct traced *found = find(request_key(requests[i]));
        struct trace_event event = { 0 };
        if (found && found->kept) {
            found->active = 1;
            found->start.request = trace_next_request();
            event = found->start;
        }
        leave();
        if (event.kind)
            trace_part(block, event);
    }
}

static int forget(uint64_t key, struct traced *was)
{
    take();
    struct traced *found = find(key);
    if (found) {
        *was = *found;
        if (found->kept)
            found->active = 0;
        else
            drop(found);
    }
    leave();
    return found != NULL;
}

void trace_request_freed(MPI_Request request)
{
    take();
    struct traced *found = find(request_key(request));
    if (found)
        drop(found);
    leave();
}

void trace_probed(struct communicator *communicator, MPI_Message message)
{
    const unsigned number = trace_communicator(communicator);
    if (number)
        remember((struct traced){ .key = message_key(message), .start = { .communicator = (uint16_t)number }, .active = 1 });
}

unsigned trace_message(MPI_Message message)
{
    struct traced was;
    return forget(message_key(message), &was) ? was.start.communicator : 0;
}

/* Threads remember what the call at hand was given: the library clears handles of requests that are complete. */
static __thread struct { MPI_Request *requests; MPI_Status *statuses; int count, room, status_room; } own __attribute__((tls_model("initial-exec")));

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

static int is_ignored(const MPI_Status *status) { return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE; }

uint64_t trace_bytes_in(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    return !is_ignored(status) && real.Get_elements_x && real.Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0 ? (uint64_t)bytes : 0;
}

static void received(const struct block *block, struct trace_event event, unsigned kind, const MPI_Status *status)
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
        received(block, (struct trace_event){ .communicator = (uint16_t)communicator }, EVENT_RECEIVE, status);
}

static void received_as_told(const struct block *block, struct trace_event event, const MPI_Status *status)
{
    event.bytes = !is_ignored(status) && status->MPI_SOURCE == event.peer && status->MPI_TAG == event.tag ? trace_bytes_in(status) : 0;
    event.kind = EVENT_RECEIVED;
    trace_part(block, event);
}

static struct trace_event completed(struct trace_event event, const MPI_Status *status)
{
    const int is_file = event.kind == EVENT_START_READ || event.kind == EVENT_START_WRITE;
    event.bytes = is_file ? trace_bytes_in(status) : event.bytes;
    event.kind = is_file ? EVENT_FILE_DONE : event.kind == EVENT_START_SEND ? EVENT_SENT : event.kind == EVENT_START_COLLECTIVE ? EVENT_COLLECTED
        : event.kind == EVENT_START_NEIGHBOURS ? EVENT_NEIGHBOURS_DONE : EVENT_REMOTE_DONE;
    return event;
}

void trace_completed(const struct block *block, int index, const MPI_Status *status)
{
    struct traced was;
    int cancelled = 0;
    if (index < 0 || index >= own.count || own.requests[index] == MPI_REQUEST_NULL || !forget(request_key(own.requests[index]), &was) || !was.active)
        return;
    if (was.sent)
        trace_part(block, (struct trace_event){ .request = was.sent, .communicator = was.start.communicator, .kind = EVENT_SENT });
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

void trace_completed_some(const struct block *block, int count, const int *indices, const MPI_Status *statuses)
{
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        trace_completed(block, indices[i], is_ignored(statuses) ? statuses : &statuses[i]);
}
