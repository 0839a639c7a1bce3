/* Computes the payload that a rank passes in (METRICS 6.1) from the sizes in an archive, and which
 * ranks wait for which. */
#include "stream.h"

unsigned role_of(unsigned operation, int is_root, uint64_t sent, uint64_t received)
{
    const unsigned both = ROLE_POSTS | ROLE_WAITS, giver = ROLE_POSTS | ROLE_SENDS;
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return is_root ? giver : ROLE_WAITS;
    case OTF2_COLLECTIVE_OP_GATHERV:
        return is_root ? ROLE_WAITS : sent ? giver : 0;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return is_root ? ROLE_WAITS : giver;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return both | ROLE_PREFIX;
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
        return sent || received ? both : 0; /* who has nothing to give delays nobody: METRICS 3.3 */
    default:
        return both;
    }
}

/* The block for one member. In place Score-P leaves the own block out. */
static uint64_t block(uint64_t bytes, uint64_t members)
{
    return members < 2                                     ? bytes
           : bytes % members && bytes % (members - 1) == 0 ? bytes / (members - 1)
                                                           : bytes / members;
}

/* Bytes, or NONE if the call carries none. Score-P counts a block once for each member that it goes
 * to or comes from. */
int64_t payload(const struct stream *stream, unsigned operation, uint64_t sent, uint64_t received,
                const struct communicator *communicator, int is_root, uint32_t place)
{
    const int by_member = stream->definitions->by_member && !communicator->far;
    const uint64_t members = communicator->size;
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return (int64_t)(received || !is_root ? received : by_member ? block(sent, members) : sent);
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return (int64_t)(sent || !is_root ? sent : by_member ? block(received, members) : received);
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
        return (int64_t)(by_member ? block(sent, members) : sent);
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return (int64_t)(by_member ? block(received, members) : received);
    case OTF2_COLLECTIVE_OP_SCAN:
        return (int64_t)(by_member ? received / (place + 1) : sent);
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return (int64_t)(!by_member    ? sent
                         : place       ? received / place
                         : members > 1 ? sent / (members - 1)
                                       : sent);
    default:
        return NONE;
    }
}
