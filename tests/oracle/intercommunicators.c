/* Collectives between two groups: even ranks and odd ranks. MPI_ROOT hands in its arguments;
 * MPI_PROC_NULL nothing. */
#include "oracle.h"

enum { MOST = 256 };
static int out[MOST], in[MOST];

/* Rank 0 is the root; the other even ranks stand by; the odd ranks are the other side. */
static void rooted(MPI_Comm inter)
{
    int even = rank % 2 == 0, root = even ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
    LARGE_CALL(Bcast, 3, root == MPI_PROC_NULL ? NOBODY : 5 * sizeof(int), out, 5, MPI_INT, root,
               inter);
    LARGE_CALL(Reduce, 2, root == MPI_PROC_NULL ? NOBODY : 7 * sizeof(int), out, in, 7, MPI_INT,
               MPI_SUM, root, inter);
    LARGE_CALL(Gather, 3, root == MPI_PROC_NULL ? NOBODY : 3 * sizeof(int), out, 3, MPI_INT, in, 3,
               MPI_INT, root, inter);
    LARGE_CALL(Scatter, 2, root == MPI_PROC_NULL ? NOBODY : 4 * sizeof(int), out, 4, MPI_INT, in, 4,
               MPI_INT, root, inter);
}

/* The odd ranks have 1, 2, ... ints; a root that is not among them handles the mean, rounded down
 * to whole bytes. */
static void rooted_varying(MPI_Comm inter, int others)
{
    amount counts[16];
    offset places[16];
    int even = rank % 2 == 0, root = even ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0,
        mine = rank / 2 + 1;
    long long total = 0;
    for (int at = 0, place = 0; at < others; place += ++at) {
        counts[at] = at + 1;
        places[at] = place;
        total += sizeof(int) * (at + 1);
    }
    long long bytes =
        even ? (rank == 0 ? total / others : NOBODY) : (long long)(mine * sizeof(int));
    LARGE_CALL(Gatherv, 3, bytes, out, mine, MPI_INT, in, counts, places, MPI_INT, root, inter);
    LARGE_CALL(Scatterv, 5, bytes, out, counts, places, MPI_INT, in, mine, MPI_INT, root, inter);
}

static void everybody(MPI_Comm inter)
{
    LARGE_CALL(Allreduce, 5, 3 * sizeof(int), out, in, 3, MPI_INT, MPI_SUM, inter);
    LARGE_CALL(Allgather, 2, 2 * sizeof(int), out, 2, MPI_INT, in, 2, MPI_INT, inter);
    LARGE_CALL(Alltoall, 3, 2 * sizeof(int), out, 2, MPI_INT, in, 2, MPI_INT, inter);
    PLAIN(Barrier, 3, inter);
    /* A point-to-point peer is a rank of the other group. */
    LARGE_CALL(Sendrecv, 2, 4 * sizeof(int), out, 4, MPI_INT, rank / 2, 71, in, 4, MPI_INT,
               rank / 2, 71, inter, MPI_STATUS_IGNORE);
}

void intercommunicators(void)
{
    int flag, others;
    MPI_Comm half, inter, merged;
    MPI_Group group;
    PLAIN(Comm_split, 1, MPI_COMM_WORLD, rank % 2, rank, &half);
    PLAIN(Intercomm_create, 1, half, 0, MPI_COMM_WORLD, 1 - rank % 2, 72, &inter);
    PLAIN(Comm_test_inter, 3, inter, &flag);
    PLAIN(Comm_remote_size, 2, inter, &others);
    VERIFY(flag && others == size / 2);
    PLAIN(Comm_remote_group, 1, inter, &group);
    PLAIN(Group_free, 1, &group);
    rooted(inter);
    rooted_varying(inter, others);
    everybody(inter);
    PLAIN(Intercomm_merge, 1, inter, rank % 2, &merged);
    PLAIN(Barrier, 2, merged);
    PLAIN(Comm_free, 1, &merged);
    PLAIN(Comm_disconnect, 1, &inter);
    PLAIN(Comm_free, 1, &half);
}
