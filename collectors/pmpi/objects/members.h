/* What one look at the members of a group tells, and how members of the same list tell their
 * communicators apart without a message. */
#ifndef ADVISOR_MEMBERS_H
#define ADVISOR_MEMBERS_H

#include "communicators.h"

/* MPI_COMM_WORLD, or what a session made of it. node_of: host by rank, NULL: not known; group:
 * MPI_GROUP_NULL: nobody can tell. */
extern struct world {
    int rank, size;
    MPI_Group group;
    uint32_t *node_of;
} own_world __attribute__((visibility("hidden")));

/* nodes: hosts they are on; unknown: those that are not in the world; first: its rank in the world.
 */
struct members {
    uint64_t hash;
    int size, nodes, unknown, is_world, first;
};

/* Both 0: there are too many lists to count the communicators of this one, so that no id can be
 * told that all members agree on. `salt` tells the ninth of a list from the tenth, `id` does not.
 * `list`: where the list is kept; NO_LIST: nowhere. */
enum { NO_LIST = 1024 };
struct identity {
    uint64_t id, salt;
    uint32_t list;
};

static inline uint64_t members_mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ value >> 27) * 0x94D049BB133111EBull;
    return value ^ value >> 31;
}

struct members members_of(MPI_Group group);
unsigned members_class(const struct members *members);
/* The caller keeps other threads out of these: */
struct identity members_identity(uint64_t hash);
struct identity members_again(uint32_t list); /* of the next communicator of a list that was met */
unsigned
members_row_like(struct identity identity,
                 unsigned row); /* for one more with the members of the one in `row`, above 1 */
unsigned members_row(const struct members *members, unsigned class,
                     uint64_t id); /* in record->communicators; 1: overflowed */

#endif
