/* Peers of a communicator: what counting a message to one needs, remembered from its first message
 * on. */
#include "members.h"
#include "peers.h"
#include "events.h"
#include <stdlib.h>

static uint64_t living; /* known peers that there is room for */

void peers_discard(struct communicator *communicator)
{
    if (!communicator->peers || communicator->peers == &communicator->nobody)
        return;
    __atomic_sub_fetch(&living, communicator->peer_mask + 1, __ATOMIC_RELAXED);
    free(communicator->peers);
}

uint64_t peers_memory(void)
{
    return __atomic_load_n(&living, __ATOMIC_RELAXED) * sizeof(struct known_peer);
}

static unsigned path_class(int world)
{
    if (world == own_world.rank)
        return CLASS_SELF;
    if (world < 0 || world >= own_world.size)
        return CLASS_OTHER; /* a process of another world: connected or spawned */
    if (!own_world.node_of)
        return CLASS_UNKNOWN;
    return own_world.node_of[world] == own_world.node_of[own_world.rank] ? CLASS_HOST : CLASS_OTHER;
}

/* Room for as many peers as there are, up to a limit. Without memory the one at hand does. */
static void make_room(struct communicator *communicator)
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
    __atomic_add_fetch(&living, room, __ATOMIC_RELAXED);
    communicator->peers = made;
    __atomic_store_n(&communicator->peer_mask, room - 1, __ATOMIC_RELEASE);
}

static int world_rank_of(struct communicator *communicator, int peer)
{
    int world = peer;
    if (communicator->world)
        return peer;
    if (communicator == &communicator_unknown || own_world.group == MPI_GROUP_NULL ||
        peer >= communicator->partners)
        return -1;
    MPI_Group group = communicator_group(communicator);
    int told = group != MPI_GROUP_NULL &&
               real.Group_translate_ranks(group, 1, &peer, own_world.group, &world) == MPI_SUCCESS;
    return told && world >= 0 ? world : -1;
}

struct known_peer *communicator_peer_slow(struct communicator *communicator, int peer)
{
    int world = world_rank_of(communicator, peer);
    pthread_mutex_lock(&communicators_lock);
    make_room(communicator);
    struct known_peer *known =
        &communicator->peers[(uint64_t)(uint32_t)peer & communicator->peer_mask];
    struct known_peer fresh = { .who = NOBODY,
                                .key = event_key(0, path_class(world), 0, 0),
                                .place = peer_place(world),
                                .world = peer_name(world),
                                .uncounted = known->uncounted || known->who != NOBODY ||
                                             communicator == &communicator_unknown };
    __atomic_store_n(&known->who, NOBODY, __ATOMIC_RELEASE);
    *known = fresh;
    __atomic_store_n(&known->who, (uint64_t)(uint32_t)peer, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&communicators_lock);
    return known;
}
