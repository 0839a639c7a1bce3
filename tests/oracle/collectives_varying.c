/* Blocking collectives with a count for each rank. Own block, or mean block of the all-to-alls
 * (METRICS 6.1). */
#include "oracle.h"

enum { MOST = 512 };
static int out[MOST], in[MOST];
static amount counts[16], same[16];
static offset places[16], evens[16];

/* Rank r has r + 1 ints. */
static void fill(void)
{
    for (int at = 0, place = 0; at < size; place += ++at) {
        counts[at] = at + 1;
        places[at] = place;
    }
}

static void own_blocks(void)
{
    const int mine = rank + 1, root = 1, here = rank == root;
    LARGE_CALL(Gatherv, 5, mine * sizeof(int), out, mine, MPI_INT, in, here ? counts : NULL,
               here ? places : NULL, MPI_INT, root, MPI_COMM_WORLD);
    LARGE_CALL(Scatterv, 3, mine * sizeof(int), out, here ? counts : NULL, here ? places : NULL,
               MPI_INT, in, mine, MPI_INT, root, MPI_COMM_WORLD);
    LARGE_CALL(Allgatherv, 7, mine * sizeof(int), out, mine, MPI_INT, in, counts, places, MPI_INT,
               MPI_COMM_WORLD);
    LARGE_CALL(Reduce_scatter, 2, mine * sizeof(int), out, in, counts, MPI_INT, MPI_SUM,
               MPI_COMM_WORLD);
}

static void own_blocks_in_place(void)
{
    const int mine = rank + 1, root = 0, here = rank == root;
    LARGE_CALL(Gatherv, 3, mine * sizeof(int), here ? MPI_IN_PLACE : out, here ? 999 : mine,
               MPI_INT, in, counts, places, MPI_INT, root, MPI_COMM_WORLD);
    LARGE_CALL(Scatterv, 2, mine * sizeof(int), out, counts, places, MPI_INT,
               here ? MPI_IN_PLACE : in, here ? 999 : mine, MPI_INT, root, MPI_COMM_WORLD);
    LARGE_CALL(Allgatherv, 5, mine * sizeof(int), MPI_IN_PLACE, 999, MPI_DATATYPE_NULL, in, counts,
               places, MPI_INT, MPI_COMM_WORLD);
    LARGE_CALL(Reduce_scatter, 3, mine * sizeof(int), MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM,
               MPI_COMM_WORLD);
}

/* Rank i sends i + j + 1 ints to rank j: the mean is i + 1 + (p - 1) / 2; in bytes for p = 2 and 4
 * a whole number. */
static void mean_blocks(void)
{
    amount sends[16], receives[16];
    offset from[16], to[16];
    long long total = 0;
    for (int at = 0, a = 0, b = 0; at < size; at++) {
        sends[at] = receives[at] = rank + at + 1;
        from[at] = a;
        to[at] = b;
        a += rank + at + 1;
        b += rank + at + 1;
        total += (rank + at + 1) * sizeof(int);
    }
    LARGE_CALL(Alltoallv, 5, total / size, out, sends, from, MPI_INT, in, receives, to, MPI_INT,
               MPI_COMM_WORLD);
}

/* One byte to the first rank only: the mean of 1 and zeros is a whole number of bytes, 0; five give
 * 2 or 1. */
static void rounded_down(void)
{
    amount sends[16] = { 0 }, receives[16] = { 0 };
    offset at_zero[16] = { 0 };
    for (int bytes = 1; bytes < 6; bytes += 4) {
        sends[0] = bytes;
        for (int at = 0; at < size; at++)
            receives[at] = rank == 0 ? bytes : 0;
        for (int at = 0; at < size; at++)
            at_zero[at] = rank == 0 ? 8 * at : 0;
        LARGE_CALL(Alltoallv, 1, bytes / size, out, sends, (offset[16]){ 0 }, MPI_BYTE, in,
                   receives, at_zero, MPI_BYTE, MPI_COMM_WORLD);
    }
}

/* To one rank only, and with gaps: the mean counts the empty blocks too. */
static void sparse_blocks(void)
{
    amount sends[16] = { 0 }, receives[16] = { 0 };
    offset at_zero[16] = { 0 };
    MPI_Datatype vector;
    LARGE_PLAIN(Type_vector, 1, 4, 1, 3, MPI_INT, &vector);
    PLAIN(Type_commit, 1, &vector);
    sends[rank ^ 1] = receives[rank ^ 1] = 3;
    LARGE_CALL(Alltoallv, 3, 3 * 16 / size, out, sends, at_zero, vector, in, receives, at_zero,
               vector, MPI_COMM_WORLD);
    PLAIN(Type_free, 1, &vector);
    memset(sends, 0, sizeof sends);
    LARGE_CALL(Alltoallv, 2, 0, out, sends, at_zero, MPI_INT, in, sends, at_zero, MPI_INT,
               MPI_COMM_WORLD);
}

static void in_place_blocks(void)
{
    for (int at = 0; at < size; at++) {
        same[at] = 4;
        evens[at] = 4 * at;
    }
    LARGE_CALL(Alltoallv, 2, 4 * sizeof(int), MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, same,
               evens, MPI_INT, MPI_COMM_WORLD);
}

/* Each block has a type of its own: ints for even ranks, doubles for odd ones; places in bytes. */
static void typed_blocks(void)
{
    amount sends[16];
    offset at[16];
    MPI_Datatype from[16], to[16];
    long long total = 0;
    for (int peer = 0; peer < size; peer++) {
        sends[peer] = 2;
        at[peer] = 32 * peer;
        from[peer] = to[peer] = (rank + peer) % 2 ? MPI_DOUBLE : MPI_INT;
        total += 2 * ((rank + peer) % 2 ? sizeof(double) : sizeof(int));
    }
    LARGE_CALL(Alltoallw, 7, total / size, out, sends, at, from, in, sends, at, to, MPI_COMM_WORLD);
    LARGE_CALL(Alltoallw, 3, total / size, MPI_IN_PLACE, NULL, NULL, NULL, in, sends, at, to,
               MPI_COMM_WORLD);
}

void collectives_varying(void)
{
    fill();
    own_blocks();
    own_blocks_in_place();
    mean_blocks();
    rounded_down();
    sparse_blocks();
    in_place_blocks();
    typed_blocks();
}
