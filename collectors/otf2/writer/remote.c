/* One-sided communication as records of OTF2, in the way that Score-P 8 writes them: where an
 * operation is complete here, and where it is at its target. */
#include "writer.h"

static uint32_t window_of(const struct source *source, const struct trace_event *part)
{
    return meaning_of(&source->windows, part->communicator).index;
}

static void put_operation(struct writer *writer, const struct source *source, struct place *place,
                          struct opened *opened, const struct trace_event *part, uint64_t time)
{
    const uint32_t window = window_of(source, part), peer = (uint32_t)part->peer;
    if (opened->remote_count == opened->remote_room) {
        opened->remote_room = 2 * opened->remote_room + 16;
        opened->remotes = xrealloc(opened->remotes, opened->remote_room, sizeof *opened->remotes);
    }
    const uint64_t match = 2 * ++opened->matches;
    opened->remotes[opened->remote_count++] =
        (struct remote){ match, part->request, window, part->peer, part->kind == EVENT_GET, 0 };
    if (part->kind == EVENT_PUT)
        PUT(RmaPut, window, peer, part->bytes, match);
    else if (part->kind == EVENT_GET)
        PUT(RmaGet, window, peer, part->bytes, match);
    else
        PUT(RmaAtomic, window, peer, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, part->bytes, 0, match);
}

int remote_begun(struct writer *writer, const struct source *source, struct place *place,
                 struct opened *opened, const struct trace_event *part, uint64_t time)
{
    switch (part->kind) {
    case EVENT_PUT:
    case EVENT_GET:
    case EVENT_ATOMIC:
        put_operation(writer, source, place, opened, part, time);
        return 1;
    case EVENT_SYNCHRONISE:
    case EVENT_WINDOW:
    case EVENT_WINDOW_FREED:
        PUT(RmaCollectiveBegin);
        return 1;
    default:
        return 0;
    }
}

enum extent { HERE, THERE };
/* Of a request: `window` NONE. What was got is complete at its target as well. */
static void complete(struct writer *writer, struct place *place, struct opened *opened,
                     uint32_t window, int32_t target, uint64_t request, enum extent extent,
                     uint64_t time)
{
    size_t kept = 0;
    for (size_t i = 0; i < opened->remote_count; i++) {
        struct remote *remote = &opened->remotes[i];
        if (window == NONE ? remote->request == request
                           : remote->window == window && (target < 0 || remote->target == target)) {
            if (!remote->is_done)
                PUT(RmaOpCompleteNonBlocking, remote->window, remote->match);
            remote->is_done = 1;
            if (extent == THERE || remote->is_get) {
                PUT(RmaOpCompleteRemote, remote->window, remote->match);
                continue;
            }
        }
        opened->remotes[kept++] = *remote;
    }
    opened->remote_count = kept;
}

static void put_window(struct writer *writer, const struct source *source, struct place *place,
                       const struct trace_event *part, uint64_t time)
{
    const OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
    const uint32_t window = window_of(source, part);
    if (part->kind == EVENT_WINDOW)
        PUT(RmaWinCreate, window);
    if (part->kind == EVENT_WINDOW_FREED)
        PUT(RmaWinDestroy, window);
    PUT(RmaCollectiveEnd,
        part->kind == EVENT_WINDOW         ? OTF2_COLLECTIVE_OP_CREATE_HANDLE
        : part->kind == EVENT_WINDOW_FREED ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE
                                           : OTF2_COLLECTIVE_OP_BARRIER,
        level, window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

int remote_ended(struct writer *writer, const struct source *source, struct place *place,
                 struct opened *opened, const struct trace_event *part, uint64_t time)
{
    const uint32_t window = window_of(source, part), peer = (uint32_t)part->peer;
    switch (part->kind) {
    case EVENT_PUT:
    case EVENT_GET:
    case EVENT_ATOMIC:
        return 1;
    case EVENT_REMOTE_DONE:
        complete(writer, place, opened, NONE, -1, part->request, HERE, time);
        return 1;
    case EVENT_FLUSH:
        complete(writer, place, opened, window, part->peer, 0, part->tag ? HERE : THERE, time);
        return 1;
    case EVENT_UNLOCK:
    case EVENT_UNLOCK_ALL:
    case EVENT_MEET:
    case EVENT_SYNCHRONISE:
    case EVENT_WINDOW_FREED:
        complete(writer, place, opened, window, part->kind == EVENT_UNLOCK ? part->peer : -1, 0,
                 THERE, time);
    }
    switch (part->kind) {
    case EVENT_SYNCHRONISE:
    case EVENT_WINDOW:
    case EVENT_WINDOW_FREED:
        put_window(writer, source, place, part, time);
        return 1;
    case EVENT_LOCK:
        PUT(RmaAcquireLock, window, peer, 0, part->tag ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE);
        return 1;
    case EVENT_LOCK_ALL:
        PUT(RmaAcquireLock, window, OTF2_UNDEFINED_UINT32, 0, OTF2_LOCK_SHARED);
        return 1;
    case EVENT_UNLOCK:
        PUT(RmaReleaseLock, window, peer, 0);
        return 1;
    case EVENT_UNLOCK_ALL:
        PUT(RmaReleaseLock, window, OTF2_UNDEFINED_UINT32, 0);
        return 1;
    case EVENT_MEET:
        PUT(RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, window,
            FIRST_SET + meaning_of(&source->sets, (uint32_t)part->tag).index);
        return 1;
    default:
        return 0;
    }
}
