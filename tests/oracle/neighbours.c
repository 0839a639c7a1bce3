/* Neighbourhood collectives in all three forms, on a ring: two neighbours each, left and right. */
#include "oracle.h"

enum { MOST = 256, TIMES = 3 };
static int out[MOST], in[MOST];
static amount counts[2] = { 2, 3 },
              swapped[2] = { 3, 2 }; /* equal in a ring of two, where left and right are one rank */
static offset places[2] = { 0, 8 };
static MPI_Aint bytes[2] = { 0, 64 };
static MPI_Datatype kinds[2];
static MPI_Comm ring;

#define BLOCK (4 * sizeof(int))
#define MEAN                     \
    (size == 2 ? 3 * sizeof(int) \
               : 5 * sizeof(int) / 2) /* (2 + 3) ints over two neighbours: 10 bytes */
#define MEAN_W (size == 2 ? 3 * sizeof(int) : (2 * sizeof(int) + 3 * sizeof(double)) / 2)

static void blocking(void)
{
    LARGE_CALL(Neighbor_allgather, 5, BLOCK, out, 4, MPI_INT, in, 4, MPI_INT, ring);
    LARGE_CALL(Neighbor_alltoall, 7, BLOCK, out, 4, MPI_INT, in, 4, MPI_INT, ring);
    LARGE_CALL(Neighbor_allgatherv, 3, 2 * sizeof(int), out, 2, MPI_INT, in, (amount[]){ 2, 2 },
               places, MPI_INT, ring);
    LARGE_CALL(Neighbor_alltoallv, 5, MEAN, out, counts, places, MPI_INT, in, swapped, places,
               MPI_INT, ring);
    LARGE_CALL(Neighbor_alltoallw, 2, MEAN_W, out, counts, bytes, kinds, in, swapped, bytes,
               (MPI_Datatype[]){ kinds[1], kinds[0] }, ring);
}

#define START(name, payload, ...)                            \
    for (int turn = 0; turn < TIMES; turn++) {               \
        MPI_Request request;                                 \
        LARGE_CALL(name, 1, payload, __VA_ARGS__, &request); \
        PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);         \
    }

static void nonblocking_forms(void)
{
    amount twos[2] = { 2, 2 };
    MPI_Datatype other[2] = { kinds[1], kinds[0] };
    START(Ineighbor_allgather, BLOCK, out, 4, MPI_INT, in, 4, MPI_INT, ring)
    START(Ineighbor_alltoall, BLOCK, out, 4, MPI_INT, in, 4, MPI_INT, ring)
    START(Ineighbor_allgatherv, 2 * sizeof(int), out, 2, MPI_INT, in, twos, places, MPI_INT, ring)
    START(Ineighbor_alltoallv, MEAN, out, counts, places, MPI_INT, in, swapped, places, MPI_INT,
          ring)
    START(Ineighbor_alltoallw, MEAN_W, out, counts, bytes, kinds, in, swapped, bytes, other, ring)
}

#if HAVE_Neighbor_alltoall_init
#define MAKE(name, payload, ...)                                          \
    do {                                                                  \
        MPI_Request request;                                              \
        LARGE_PLAIN(name, 1, __VA_ARGS__, ring, MPI_INFO_NULL, &request); \
        for (int turn = 0; turn < 2; turn++) {                            \
            CALL(Start, 1, payload, &request);                            \
            PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);                  \
        }                                                                 \
        PLAIN(Request_free, 1, &request);                                 \
    } while (0)

static void persistent_forms(void)
{
    amount twos[2] = { 2, 2 };
    MPI_Datatype other[2] = { kinds[1], kinds[0] };
    MAKE(Neighbor_allgather_init, BLOCK, out, 4, MPI_INT, in, 4, MPI_INT);
    MAKE(Neighbor_alltoall_init, BLOCK, out, 4, MPI_INT, in, 4, MPI_INT);
    MAKE(Neighbor_allgatherv_init, 2 * sizeof(int), out, 2, MPI_INT, in, twos, places, MPI_INT);
    MAKE(Neighbor_alltoallv_init, MEAN, out, counts, places, MPI_INT, in, swapped, places, MPI_INT);
    MAKE(Neighbor_alltoallw_init, MEAN_W, out, counts, bytes, kinds, in, swapped, bytes, other);
}
#endif

/* A star: rank 0 sends to all others, who send to nobody: a mean over no blocks is nothing. */
static void star(void)
{
    int peers[16];
    amount each[16], got[1] = { 3 };
    offset at[16], start[1] = { 0 };
    MPI_Comm comm;
    for (int peer = 1; peer < size; peer++) {
        peers[peer - 1] = peer;
        each[peer - 1] = 3;
        at[peer - 1] = 3 * peer;
    }
    int from = 0;
    PLAIN(Dist_graph_create_adjacent, 1, MPI_COMM_WORLD, rank != 0, &from, MPI_UNWEIGHTED,
          rank ? 0 : size - 1, peers, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    LARGE_CALL(Neighbor_alltoallv, 3, rank ? 0 : 3 * sizeof(int), out, each, at, MPI_INT, in, got,
               start, MPI_INT, comm);
    PLAIN(Comm_free, 1, &comm);
}

void neighbours(void)
{
    int periodic = 1;
    kinds[0] = MPI_INT;
    kinds[1] = size == 2 ? MPI_INT : MPI_DOUBLE;
    if (size == 2)
        counts[0] = swapped[1] = 3;
    PLAIN(Cart_create, 1, MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    blocking();
    nonblocking_forms();
#if HAVE_Neighbor_alltoall_init
    persistent_forms();
#endif
    PLAIN(Comm_free, 1, &ring);
    star();
}
