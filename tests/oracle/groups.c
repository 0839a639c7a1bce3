/* Groups: local calls without payload. */
#include "oracle.h"

static void made(MPI_Group world)
{
    MPI_Group first, rest, group;
    int zero = 0, range[1][3] = { { 0, 0, 1 } };
    PLAIN(Group_incl, 1, world, 1, &zero, &first);
    PLAIN(Group_excl, 1, world, 1, &zero, &rest);
    for (int at = 0; at < 3; at++) {
        PLAIN(Group_union, 1, first, rest, &group);
        PLAIN(Group_free, 1, &group);
    }
    for (int at = 0; at < 2; at++) {
        PLAIN(Group_intersection, 1, world, first, &group);
        PLAIN(Group_free, 1, &group);
    }
    PLAIN(Group_difference, 1, world, first, &group);
    PLAIN(Group_free, 1, &group);
    PLAIN(Group_range_incl, 1, world, 1, range, &group);
    PLAIN(Group_free, 1, &group);
    PLAIN(Group_range_excl, 1, world, 1, range, &group);
    PLAIN(Group_free, 1, &group);
    PLAIN(Group_free, 1, &first);
    PLAIN(Group_free, 1, &rest);
}

void groups(void)
{
    MPI_Group world;
    int value, zero = 0;
    PLAIN(Comm_group, 1, MPI_COMM_WORLD, &world);
    PLAIN(Group_size, 5, world, &value);
    VERIFY(value == size);
    PLAIN(Group_rank, 7, world, &value);
    PLAIN(Group_translate_ranks, 3, world, 1, &zero, world, &value);
    PLAIN(Group_compare, 2, world, world, &value);
    VERIFY(value == MPI_IDENT);
    made(world);
    PLAIN(Group_free, 1, &world);
}
