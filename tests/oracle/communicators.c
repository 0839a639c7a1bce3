/* Making, describing and freeing communicators. */
#include "oracle.h"

static void copies(void)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Info info;
    for (int at = 0; at < 3; at++) {
        PLAIN(Comm_dup, 1, MPI_COMM_WORLD, &comm);
        PLAIN(Barrier, 1, comm);
        PLAIN(Comm_free, 1, &comm);
    }
    PLAIN(Info_create, 1, &info);
    PLAIN(Comm_dup_with_info, 1, MPI_COMM_WORLD, info, &comm);
    PLAIN(Comm_set_info, 2, comm, info);
    PLAIN(Info_free, 1, &info);
    PLAIN(Comm_get_info, 1, comm, &info);
    PLAIN(Comm_disconnect, 1, &comm);
    PLAIN(Comm_idup, 1, MPI_COMM_WORLD, &comm, &request);
    PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
    PLAIN(Barrier, 1, comm);
    PLAIN(Comm_free, 1, &comm);
#if HAVE_Comm_idup_with_info
    PLAIN(Comm_idup_with_info, 1, MPI_COMM_WORLD, info, &comm, &request);
    PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
    PLAIN(Comm_free, 1, &comm);
#endif
    PLAIN(Info_free, 1, &info);
}

/* Many live at once, and each used: a table of fixed size must not lose a call. Most are of one
 * rank, which is quick. */
static void many(void)
{
    enum { LIVE = 197 };
    static MPI_Comm comm[LIVE];
    int one = 1, sum;
    for (int at = 0; at < LIVE; at++)
        PLAIN(Comm_dup, 1, at % 7 ? MPI_COMM_SELF : MPI_COMM_WORLD, &comm[at]);
    for (int turn = 0; turn < 2; turn++)
        for (int at = 0; at < LIVE; at++)
            LARGE_CALL(Allreduce, 1, sizeof(int), &one, &sum, 1, MPI_INT, MPI_SUM, comm[at]);
    for (int at = 0; at < LIVE; at++)
        PLAIN(Comm_free, 1, &comm[at]);
}

static void parts(void)
{
    MPI_Comm comm;
    MPI_Group world, evens;
    int ranks[16], result;
    for (int at = 0; at < size / 2; at++)
        ranks[at] = 2 * at;
    for (int at = 0; at < 2; at++) {
        PLAIN(Comm_split, 1, MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &comm);
        if (rank)
            PLAIN(Comm_free, 1, &comm);
    }
    PLAIN(Comm_group, 1, MPI_COMM_WORLD, &world);
    PLAIN(Group_incl, 1, world, size / 2, ranks, &evens);
    PLAIN(Comm_create, 1, MPI_COMM_WORLD, evens, &comm);
    if (comm != MPI_COMM_NULL) {
        PLAIN(Comm_compare, 3, comm, MPI_COMM_WORLD, &result);
        PLAIN(Comm_free, 1, &comm);
    }
    if (rank % 2 == 0) {
        PLAIN(Comm_create_group, 1, MPI_COMM_WORLD, evens, 5, &comm);
        PLAIN(Comm_free, 1, &comm);
    }
    PLAIN(Group_free, 1, &evens);
    PLAIN(Group_free, 1, &world);
    PLAIN(Comm_split_type, 1, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
    PLAIN(Comm_free, 1, &comm);
}

static void described(void)
{
    int value, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm parent, comm;
    PLAIN(Comm_rank, 7, MPI_COMM_WORLD, &value);
    PLAIN(Comm_size, 5, MPI_COMM_SELF, &value);
    VERIFY(value == 1);
    PLAIN(Comm_test_inter, 3, MPI_COMM_WORLD, &value);
    PLAIN(Comm_get_name, 3, MPI_COMM_WORLD, name, &length);
    VERIFY(strcmp(name, "MPI_COMM_WORLD") == 0);
    PLAIN(Comm_get_parent, 2, &parent);
    VERIFY(parent == MPI_COMM_NULL);
    PLAIN(Comm_dup, 1, MPI_COMM_WORLD, &comm);
    PLAIN(Comm_set_name, 2, comm, "named by the oracle");
    PLAIN(Comm_free, 1, &comm);
}

void communicators(void)
{
    copies();
    many();
    parts();
    described();
}
