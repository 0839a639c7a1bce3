/* Events of a location: one-sided calls and their synchronisation. */
#include "events.h"
#include <string.h>

static uint32_t communicator_of_window(struct stream *stream, uint32_t window)
{
    if (window >= stream->definitions->window_count || !stream->definitions->windows[window])
        die("it uses a window that is not defined");
    return stream->definitions->windows[window] - 1;
}

static OTF2_CallbackCode synchronises(EVENT, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level,
                                      OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
                                      uint64_t received)
{
    BEGIN;
    const uint32_t reference = communicator_of_window(stream, window);
    struct collective collective = { operation, root,     0,
                                     sent,      received, communicator_of(stream, reference) };
    (void)level;
    if (stream->mpi_depth)
        take_part(stream, &collective, reference, series_key(SERIES_WINDOWS, window));
    return OTF2_CALLBACK_SUCCESS;
}

static void access_window(struct stream *stream, uint32_t window, uint32_t remote, uint64_t bytes)
{
    const struct communicator *communicator =
        communicator_of(stream, communicator_of_window(stream, window));
    if (stream->mpi_depth)
        count_sent(stream, partner(stream, communicator, remote), bytes);
}

static OTF2_CallbackCode puts_bytes(EVENT, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes,
                                    uint64_t match)
{
    BEGIN;
    (void)match;
    access_window(stream, window, remote, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode changes(EVENT, OTF2_RmaWinRef window, uint32_t remote,
                                 OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
                                 uint64_t match)
{
    BEGIN;
    (void)type, (void)match;
    access_window(stream, window, remote, sent ? sent : received);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode makes_window(EVENT, OTF2_RmaWinRef window)
{
    BEGIN;
    static const char *const kinds[] = { "Win_create", "Win_allocate", "Win_allocate_shared",
                                         "Win_create_dynamic" };
    const char *name = stream->call ? stream->definitions->operations[stream->call->operation] : "";
    const unsigned class = communicator_of(stream, communicator_of_window(stream, window))->class;
    for (unsigned kind = 0; kind < 4; kind++)
        if (!strcmp(name, kinds[kind]))
            stream->own->rank->windows[kind * CLASSES + class]++;
    return OTF2_CALLBACK_SUCCESS;
}

static struct arrival arrival_at(const struct stream *stream, unsigned role, uint32_t members,
                                 uint32_t peer)
{
    return (struct arrival){ .post = stream->enter,
                             .call = NO_CALL,
                             .stream = stream->number,
                             .members = members,
                             .rank = stream->own->number,
                             .role = (uint8_t)role,
                             .class = (uint8_t)path_to(stream, peer),
                             .worker = (uint16_t)stream->worker->number };
}

/* The next of a series between an origin and a target. Who is both counts each of its parts apart.
 */
static void meet(struct stream *stream, unsigned series, uint32_t window, uint32_t origin,
                 uint32_t target, unsigned role, uint32_t members, unsigned as)
{
    const uint64_t key = mixed(series_key(series, window) + ((uint64_t)origin << 32 | target));
    struct part part = { arrival_at(stream, role, members,
                                    stream->own->number == (int32_t)origin ? target : origin),
                         key, 0, PART_AT_ONCE };
    part.arrival.key = key_of(key, count_next(stream->own, key + as));
    *part_add(stream) = part;
}

/* Start and Complete wait for Post, Wait for Complete. */
static OTF2_CallbackCode group_synchronises(EVENT, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                            OTF2_GroupRef group)
{
    BEGIN;
    const struct definitions *definitions = stream->definitions;
    const uint32_t own = (uint32_t)stream->own->number;
    (void)level;
    communicator_of_window(stream, window);
    if (group >= definitions->group_count || !definitions->groups[group].defined)
        die("it synchronises with a group that is not there");
    if (!stream->mpi_depth || stream->call->meeting == MEETING_NONE || stream->meets)
        return OTF2_CALLBACK_SUCCESS;
    stream->meets = 1;
    stream->alone = !definitions->groups[group].count;
    for (uint32_t i = 0; i < definitions->groups[group].count; i++) {
        const uint32_t peer = definitions->groups[group].ranks[i], meeting = stream->call->meeting;
        if (peer >= definitions->ranks)
            die("it synchronises with a rank that is not there");
        if (meeting == MEETING_POST)
            meet(stream, SERIES_POSTS, window, peer, own, ROLE_POSTS, 3, meeting);
        else if (meeting == MEETING_WAIT)
            meet(stream, SERIES_COMPLETES, window, peer, own, ROLE_WAITS, 2, meeting);
        else
            meet(stream, SERIES_POSTS, window, own, peer, ROLE_WAITS, 3, meeting);
        if (meeting == MEETING_COMPLETE)
            meet(stream, SERIES_COMPLETES, window, own, peer, ROLE_POSTS, 2, meeting);
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* Whether the lock is a shared one is said when it is taken: `shared` NONE asks for it. */
static int remember_lock(struct own *own, uint64_t key, int shared)
{
    uint32_t i = 0;
    while (i < own->held_count && own->held[i].key != key)
        i++;
    if (shared == NONE) {
        const int was = i < own->held_count && own->held[i].shared;
        if (i < own->held_count)
            own->held[i] = own->held[--own->held_count];
        return was;
    }
    if (i == own->held_room) {
        own->held_room = 2 * own->held_room + 8;
        own->held = xrealloc(own->held, own->held_room, sizeof *own->held);
    }
    own->held_count += i == own->held_count;
    own->held[i].key = key;
    own->held[i].shared = (uint8_t)shared;
    return shared;
}

static void lock_part(struct stream *stream, const struct communicator *communicator,
                      uint32_t window, uint32_t remote, uint64_t id, unsigned role, int shared)
{
    const uint64_t key = mixed(series_key(SERIES_LOCKS, window) + ((uint64_t)remote << 32 ^ id));
    const unsigned shares = remember_lock(stream->own, key, shared) ? ROLE_SHARES : 0;
    struct part part = { arrival_at(stream, ROLE_LOCKS | ROLE_WAITS | role | shares, 1,
                                    partner(stream, communicator, remote)),
                         key, 0, PART_AT_ONCE };
    part.arrival.key = key;
    *part_add(stream) = part;
}

enum { MOST_LOCKED = 64 };
/* Of MPI_Win_lock_all: the locks of all targets. Of more than these it is not told whom it waits
 * for, nor who waits for it. */
static void lock_parts(struct stream *stream, uint32_t window, uint32_t remote, uint64_t id,
                       unsigned role, int shared)
{
    const struct communicator *communicator =
        communicator_of(stream, communicator_of_window(stream, window));
    const int all = remote == OTF2_UNDEFINED_UINT32;
    if (!stream->mpi_depth || stream->meets ||
        (remote >= communicator->size && !communicator->is_self && !all))
        return;
    stream->meets = 1; /* asking for a lock and getting it may both be told of */
    stream->lost |= all && communicator->size > MOST_LOCKED;
    for (uint32_t target = all ? 0 : remote;
         !stream->lost && target < (all ? communicator->size : remote + 1); target++)
        lock_part(stream, communicator, window, target, id, role, shared);
}

static OTF2_CallbackCode takes_lock(EVENT, OTF2_RmaWinRef window, uint32_t remote, uint64_t id,
                                    OTF2_LockType type)
{
    BEGIN;
    lock_parts(stream, window, remote, id, 0, type == OTF2_LOCK_SHARED);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode gives_lock_back(EVENT, OTF2_RmaWinRef window, uint32_t remote, uint64_t id)
{
    BEGIN;
    lock_parts(stream, window, remote, id, ROLE_POSTS, NONE);
    return OTF2_CALLBACK_SUCCESS;
}

void onesided_callbacks(OTF2_EvtReaderCallbacks *calls)
{
    OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(calls, synchronises);
    OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(calls, group_synchronises);
    OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(calls, takes_lock);
    OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(calls,
                                                      takes_lock); /* all that Score-P says */
    OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(calls, gives_lock_back);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(calls, puts_bytes);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(calls, puts_bytes);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(calls, changes);
    OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(calls, makes_window);
}
