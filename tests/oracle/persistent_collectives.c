/* Persistent collectives (MPI 4): the payload is handed in at every start. */
#include "oracle.h"

#if HAVE_Allreduce_init
enum { MOST = 256 };
static int out[MOST], in[MOST], starts = 3;

static void run(size_t bytes, MPI_Request *request)
{
    for (int at = 0; at < starts; at++) {
        CALL(Start, 1, bytes, request);
        PLAIN(Wait, 1, request, MPI_STATUS_IGNORE);
    }
    PLAIN(Request_free, 1, request);
}

#define MAKE(name, bytes, ...)                                      \
    do {                                                            \
        MPI_Request request;                                        \
        LARGE_PLAIN(name, 1, __VA_ARGS__, MPI_INFO_NULL, &request); \
        run(bytes, &request);                                       \
    } while (0)

static void barrier(void)
{
    MPI_Request request;
    PLAIN(Barrier_init, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int at = 0; at < 5; at++) {
        PLAIN(Start, 1, &request);
        PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
    }
    PLAIN(Request_free, 1, &request);
}

static void with_one_count(void)
{
    MAKE(Bcast_init, 3 * sizeof(int), out, 3, MPI_INT, 0, MPI_COMM_WORLD);
    MAKE(Gather_init, 5 * sizeof(int), out, 5, MPI_INT, in, rank ? 999 : 5, MPI_INT, 0,
         MPI_COMM_WORLD);
    starts = 1; /* MPICH 4.0 and Intel 2021 fail at the second start of this one */
    MAKE(Scatter_init, 7 * sizeof(int), out, rank ? 999 : 7, MPI_INT, in, 7, MPI_INT, 0,
         MPI_COMM_WORLD);
    starts = 3;
    MAKE(Allgather_init, 2 * sizeof(int), out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
    MAKE(Alltoall_init, 6 * sizeof(int), out, 6, MPI_INT, in, 6, MPI_INT, MPI_COMM_WORLD);
    MAKE(Reduce_init, 11 * sizeof(int), out, in, 11, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MAKE(Allreduce_init, 13 * sizeof(int), out, in, 13, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MAKE(Allreduce_init, 3 * sizeof(int), MPI_IN_PLACE, in, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MAKE(Reduce_scatter_block_init, 2 * sizeof(int), out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MAKE(Scan_init, 5 * sizeof(int), out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MAKE(Exscan_init, 7 * sizeof(int), out, in, 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void with_many_counts(void)
{
    amount own[16], even[16];
    offset places[16], blocks[16], bytes[16];
    MPI_Datatype kinds[16];
    const int mine = rank + 1;
    for (int at = 0, place = 0; at < size; place += ++at) {
        own[at] = at + 1;
        places[at] = place;
        even[at] = 3;
        blocks[at] = 4 * at;
        bytes[at] = 32 * at;
        kinds[at] = MPI_SHORT;
    }
    MAKE(Gatherv_init, mine * sizeof(int), out, mine, MPI_INT, in, own, places, MPI_INT, 0,
         MPI_COMM_WORLD);
    MAKE(Scatterv_init, mine * sizeof(int), out, own, places, MPI_INT, in, mine, MPI_INT, 0,
         MPI_COMM_WORLD);
    MAKE(Allgatherv_init, mine * sizeof(int), out, mine, MPI_INT, in, own, places, MPI_INT,
         MPI_COMM_WORLD);
    MAKE(Reduce_scatter_init, mine * sizeof(int), out, in, own, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MAKE(Alltoallv_init, 3 * sizeof(int), out, even, blocks, MPI_INT, in, even, blocks, MPI_INT,
         MPI_COMM_WORLD);
    MAKE(Alltoallw_init, 3 * sizeof(short), out, even, bytes, kinds, in, even, bytes, kinds,
         MPI_COMM_WORLD);
}
#endif

void persistent_collectives(void)
{
#if HAVE_Allreduce_init
    barrier();
    with_one_count();
    with_many_counts();
#endif
}
