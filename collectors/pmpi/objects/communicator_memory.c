#include "communicator_memory.h"
#include "members.h"
#include "window_locks.h"
#include <stdlib.h>

pthread_mutex_t communicators_lock = PTHREAD_MUTEX_INITIALIZER;
static struct reservoir nowhere;
struct communicator communicator_unknown = { .key = (uint64_t)CLASS_UNKNOWN << KEY_CLASS_PLACE |
                                                    1ull << KEY_COMMUNICATOR_PLACE,
                                             .class = CLASS_UNKNOWN,
                                             .row = 1,
                                             .rank = 0,
                                             .size = 1,
                                             .partners = 0,
                                             .degree = 0,
                                             .peers = &communicator_unknown.nobody,
                                             .nobody.who = NOBODY,
                                             .collectives = &nowhere,
                                             .messages = &nowhere };

static uint64_t living, living_peers; /* descriptions allocated and not yet released; known peers
                                         that there is room for */

static void discard_peers(struct communicator *communicator)
{
    if (!communicator->peers || communicator->peers == &communicator->nobody)
        return;
    __atomic_sub_fetch(&living_peers, communicator->peer_mask + 1, __ATOMIC_RELAXED);
    free(communicator->peers);
}

/* Programs that make communicators in loops free them there: the room of one is kept. */
static struct communicator *spare;

struct communicator *communicator_allocate(void)
{
    struct communicator *made = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQUIRE);
    if (!made && (made = malloc(sizeof *made)))
        __atomic_add_fetch(&living, 1, __ATOMIC_RELAXED);
    return made;
}

void communicator_discard(struct communicator *made)
{
    if (!made)
        return;
    discard_peers(made);
    free(made->neighbours);
    free(made->epochs);
    if (made->locks)
        window_locks_discard(made->locks, made->size);
    made = __atomic_exchange_n(&spare, made, __ATOMIC_ACQ_REL);
    if (made)
        __atomic_sub_fetch(&living, 1, __ATOMIC_RELAXED);
    free(made);
}

struct communicator *communicator_new(void)
{
    struct communicator *made = communicator_allocate();
    if (!made)
        return NULL;
    *made = (struct communicator){ .group = MPI_GROUP_NULL, .list = NO_LIST };
    made->peers = &made->nobody;
    made->nobody.who = NOBODY;
    made->collectives = made->messages = &record->reservoirs[RESERVOIR_NONE];
    return made;
}

/* Room for as many peers as there are, up to a limit. Without memory the one at hand does. */
void communicator_make_peers(struct communicator *communicator)
{
    uint64_t room = 4;
    while (room < PEER_CACHE && room < (uint64_t)communicator->partners)
        room *= 2;
    void *made = NULL;
    if (communicator->peers != &communicator->nobody || communicator == &communicator_unknown ||
        posix_memalign(&made, 64, room * sizeof(struct known_peer)))
        return;
    for (uint64_t i = 0; i < room; i++)
        ((struct known_peer *)made)[i] = (struct known_peer){ .who = NOBODY };
    __atomic_add_fetch(&living_peers, room, __ATOMIC_RELAXED);
    communicator->peers = made;
    __atomic_store_n(&communicator->peer_mask, room - 1, __ATOMIC_RELEASE);
}

uint64_t communicator_memory(void)
{
    return __atomic_load_n(&living, __ATOMIC_RELAXED) * sizeof(struct communicator) +
           __atomic_load_n(&living_peers, __ATOMIC_RELAXED) * sizeof(struct known_peer) +
           window_locks_memory();
}

/* Not once the program has freed it. `communicators_lock` is held. */
void communicator_ask_group(struct communicator *communicator)
{
    if (communicator->group == MPI_GROUP_NULL && !communicator->gone &&
        real.Comm_group(communicator->handle, &communicator->group) != MPI_SUCCESS)
        communicator->group = MPI_GROUP_NULL;
}

MPI_Group communicator_group(struct communicator *communicator)
{
    if (communicator == &communicator_unknown)
        return MPI_GROUP_NULL;
    pthread_mutex_lock(&communicators_lock);
    communicator_ask_group(communicator);
    MPI_Group group = communicator->group;
    pthread_mutex_unlock(&communicators_lock);
    return group;
}

void communicator_release(struct communicator *communicator)
{
    if (communicator == &communicator_unknown)
        return;
    if (communicator->group != MPI_GROUP_NULL)
        real.Group_free(&communicator->group);
    communicator_discard(communicator);
}

void communicator_hold(struct communicator *communicator)
{
    pthread_mutex_lock(&communicators_lock);
    communicator->held++;
    pthread_mutex_unlock(&communicators_lock);
}

void communicator_let_go(struct communicator *communicator)
{
    pthread_mutex_lock(&communicators_lock);
    const int last = --communicator->held == 0 && communicator->gone;
    pthread_mutex_unlock(&communicators_lock);
    if (last)
        communicator_release(communicator);
}
