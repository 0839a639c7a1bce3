/* Blocking collectives with one count. Where an argument counts only at the root, the others pass
 * nonsense. */
#include "oracle.h"

enum { MOST = 64, NONSENSE = 12345 };
static int out[MOST], in[MOST], root;

static void one_to_all(void)
{
    for (root = 0; root < 2; root++) {
        int here = rank == root;
        LARGE_CALL(Bcast, 5, 13 * sizeof(int), out, 13, MPI_INT, root, MPI_COMM_WORLD);
        LARGE_CALL(Scatter, 3, 4 * sizeof(int), here ? out : NULL, here ? 4 : NONSENSE,
                   here ? MPI_INT : MPI_DATATYPE_NULL, in, 4, MPI_INT, root, MPI_COMM_WORLD);
        LARGE_CALL(Gather, 7, 3 * sizeof(int), in, 3, MPI_INT, here ? out : NULL,
                   here ? 3 : NONSENSE, here ? MPI_INT : MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
        LARGE_CALL(Reduce, 5, 11 * sizeof(int), in, here ? out : NULL, 11, MPI_INT, MPI_SUM, root,
                   MPI_COMM_WORLD);
    }
}

static void in_place_at_root(void)
{
    int here = rank == 1;
    LARGE_CALL(Scatter, 3, 5 * sizeof(int), out, here ? 5 : NONSENSE, MPI_INT,
               here ? MPI_IN_PLACE : in, here ? NONSENSE : 5, MPI_INT, 1, MPI_COMM_WORLD);
    LARGE_CALL(Gather, 2, 5 * sizeof(int), here ? MPI_IN_PLACE : in, here ? NONSENSE : 5, MPI_INT,
               out, here ? 5 : NONSENSE, MPI_INT, 1, MPI_COMM_WORLD);
    LARGE_CALL(Reduce, 3, 7 * sizeof(int), here ? MPI_IN_PLACE : in, here ? in : NULL, 7, MPI_INT,
               MPI_MAX, 1, MPI_COMM_WORLD);
}

static void all_to_all(void)
{
    LARGE_CALL(Allgather, 7, 3 * sizeof(int), out, 3, MPI_INT, in, 3, MPI_INT, MPI_COMM_WORLD);
    LARGE_CALL(Alltoall, 5, 6 * sizeof(int), out, 6, MPI_INT, in, 6, MPI_INT, MPI_COMM_WORLD);
    LARGE_CALL(Allreduce, 3, 9 * sizeof(int), out, in, 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    LARGE_CALL(Reduce_scatter_block, 5, 2 * sizeof(int), out, in, 2, MPI_INT, MPI_SUM,
               MPI_COMM_WORLD);
    LARGE_CALL(Scan, 2, 17 * sizeof(int), out, in, 17, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    LARGE_CALL(Exscan, 3, 19 * sizeof(int), out, in, 19, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* With MPI_IN_PLACE the send count and type are to be ignored: here they are nonsense. */
static void in_place(void)
{
    int one[2] = { rank, 1 };
    LARGE_CALL(Allgather, 2, 3 * sizeof(int), MPI_IN_PLACE, NONSENSE, MPI_DATATYPE_NULL, in, 3,
               MPI_INT, MPI_COMM_WORLD);
    LARGE_CALL(Alltoall, 3, 6 * sizeof(int), MPI_IN_PLACE, NONSENSE, MPI_DATATYPE_NULL, in, 6,
               MPI_INT, MPI_COMM_WORLD);
    LARGE_CALL(Allreduce, 1, 2 * sizeof(int), MPI_IN_PLACE, one, 2, MPI_INT, MPI_SUM,
               MPI_COMM_WORLD);
    VERIFY(one[1] == size && one[0] == size * (size - 1) / 2);
    LARGE_CALL(Reduce_scatter_block, 2, 2 * sizeof(int), MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM,
               MPI_COMM_WORLD);
    LARGE_CALL(Scan, 5, 4 * sizeof(int), MPI_IN_PLACE, in, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    LARGE_CALL(Exscan, 5, 5 * sizeof(int), MPI_IN_PLACE, in, 5, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

static void zero_counts(void)
{
    PLAIN(Barrier, 11, MPI_COMM_WORLD);
    LARGE_CALL(Bcast, 3, 0, out, 0, MPI_INT, 0, MPI_COMM_WORLD);
    LARGE_CALL(Allreduce, 2, 0, out, in, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    LARGE_CALL(Allgather, 2, 0, out, 0, MPI_INT, in, 0, MPI_INT, MPI_COMM_WORLD);
    LARGE_CALL(Alltoall, 2, 0, out, 0, MPI_INT, in, 0, MPI_INT, MPI_COMM_WORLD);
    LARGE_CALL(Gather, 3, 0, out, 0, MPI_INT, in, 0, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Payload is the size of the type, not its extent: 2 of 7 doubles; and types that differ between
 * ranks. */
static void gaps(void)
{
    static double data[7 * 8];
    MPI_Datatype pair, spaced;
    LARGE_PLAIN(Type_contiguous, 1, 2, MPI_DOUBLE, &pair);
    LARGE_PLAIN(Type_create_resized, 1, pair, 0, 7 * sizeof(double), &spaced);
    PLAIN(Type_commit, 1, &spaced);
    LARGE_CALL(Bcast, 3, 5 * 16, data, 5, spaced, 0, MPI_COMM_WORLD);
    LARGE_CALL(Bcast, 2, 6 * 8, data, rank ? 6 : 3, rank ? MPI_DOUBLE : spaced, 0, MPI_COMM_WORLD);
    PLAIN(Type_free, 1, &spaced);
    PLAIN(Type_free, 1, &pair);
    LARGE_CALL(Allreduce, 2, 2 * (sizeof(double) + sizeof(int)), data, data + 10, 2, MPI_DOUBLE_INT,
               MPI_MAXLOC, MPI_COMM_WORLD);
}

static void on_others(void)
{
    MPI_Comm half;
    PLAIN(Comm_split, 1, MPI_COMM_WORLD, rank % 2, 0, &half);
    LARGE_CALL(Allreduce, 5 + rank % 2, 3 * sizeof(int), out, in, 3, MPI_INT, MPI_SUM, half);
    LARGE_CALL(Bcast, 3, 2 * sizeof(int), out, 2, MPI_INT, 0, MPI_COMM_SELF);
    PLAIN(Barrier, 2, MPI_COMM_SELF);
    PLAIN(Comm_free, 1, &half);
}

void collectives(void)
{
    one_to_all();
    in_place_at_root();
    all_to_all();
    in_place();
    zero_counts();
    gaps();
    on_others();
}
