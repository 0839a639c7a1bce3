/* Peers of a communicator: the data for counting a message to one. */
#ifndef ADVISOR_PEERS_H
#define ADVISOR_PEERS_H

#include "communicators.h"

struct known_peer *communicator_peer_slow(struct communicator *communicator, int peer);

/* A peer that may be MPI_PROC_NULL (no message) or MPI_ANY_SOURCE. */
struct path {
    unsigned class;
    int world;
};

static inline struct known_peer *known_peer(struct communicator *communicator, int peer)
{
    struct known_peer *known =
        &communicator->peers[(uint64_t)(uint32_t)peer & communicator->peer_mask];
    return unlikely(known->who != (uint64_t)(uint32_t)peer)
               ? communicator_peer_slow(communicator, peer)
               : known;
}

static inline struct path path_to(struct communicator *communicator, int peer)
{
    if (unlikely(peer < 0))
        return (struct path){ peer == MPI_ANY_SOURCE ? CLASS_ANY : CLASS_NONE, -1 };
    const struct known_peer *known = known_peer(communicator, peer);
    return (struct path){ key_class(known->key), known->world - 2 };
}

#endif
