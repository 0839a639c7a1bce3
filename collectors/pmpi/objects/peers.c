/* Peers of a communicator: the data for counting a message to one, cached from its first message
 * on. */
#include "peers.h"
#include "communicator_memory.h"
#include "members.h"
#include "events.h"

static unsigned path_class(int world)
{
    if (world == own_world.rank)
        return CLASS_SELF;
    if (world < 0 || world >= own_world.size)
        return CLASS_OTHER; /* a process of another world: connected or spawned */
    if (!own_world.node_of)
        return CLASS_UNKNOWN;
    return own_world.node_of[world] == own_world.node_of[own_world.rank] ? CLASS_INTRA_NODE
                                                                         : CLASS_OTHER;
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
    communicator_make_peers(communicator);
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
