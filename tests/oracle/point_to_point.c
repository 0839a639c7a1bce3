/* Blocking sends and receives in every mode. Ranks talk in pairs: 0-1, 2-3. */
#include "oracle.h"

static void modes(int peer)
{
    int data[64] = { 0 };
    if (rank % 2 == 0) {
        LARGE_CALL(Send, 7, 12 * sizeof(int), data, 12, MPI_INT, peer, 1, MPI_COMM_WORLD);
        LARGE_CALL(Ssend, 5, 9 * sizeof(int), data, 9, MPI_INT, peer, 2, MPI_COMM_WORLD);
        LARGE_CALL(Send, 3, 0, data, 0, MPI_INT, peer, 3, MPI_COMM_WORLD);
        LARGE_PLAIN(Recv, 2, data, 64, MPI_INT, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Status status;
        LARGE_PLAIN(Recv, 7, data, 64, MPI_INT, peer, 1, MPI_COMM_WORLD, &status);
        LARGE_PLAIN(Recv, 5, data, 9, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
        LARGE_PLAIN(Recv, 3, data, 0, MPI_INT, peer, MPI_ANY_TAG, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
        LARGE_CALL(Send, 2, 33 * sizeof(int), data, 33, MPI_INT, peer, 4, MPI_COMM_WORLD);
    }
}

/* A ready send is right only if the receive has been posted: the barrier says so. */
static void ready(int peer)
{
    int data[3][8];
    MPI_Request posted[3];
    if (rank % 2)
        for (int at = 0; at < 3; at++)
            LARGE_PLAIN(Irecv, 1, data[at], 8, MPI_INT, peer, 5, MPI_COMM_WORLD, &posted[at]);
    PLAIN(Barrier, 1, MPI_COMM_WORLD);
    if (rank % 2 == 0)
        LARGE_CALL(Rsend, 3, 8 * sizeof(int), data[0], 8, MPI_INT, peer, 5, MPI_COMM_WORLD);
    else
        PLAIN(Waitall, 1, 3, posted, MPI_STATUSES_IGNORE);
}

static void both_ways(int peer)
{
    double out[4] = { rank, rank, rank, rank }, in[4];
    LARGE_CALL(Sendrecv, 5, 4 * sizeof(double), out, 4, MPI_DOUBLE, peer, 6, in, 4, MPI_DOUBLE,
               peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    VERIFY(in[3] == peer);
    LARGE_CALL(Sendrecv_replace, 3, 2 * sizeof(double), out, 2, MPI_DOUBLE, peer, 7, peer, 7,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    VERIFY(out[0] == peer);
    /* To nobody, from nobody; and a send with nothing that comes back with something. */
    LARGE_CALL(Sendrecv, 2, NOBODY, out, 4, MPI_DOUBLE, MPI_PROC_NULL, 6, in, 4, MPI_DOUBLE,
               MPI_PROC_NULL, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    LARGE_CALL(Sendrecv, 2, rank % 2 ? 0 : 3 * sizeof(double), out, rank % 2 ? 0 : 3, MPI_DOUBLE,
               peer, 8, in, 4, MPI_DOUBLE, peer, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Not a message: MPI_PROC_NULL moves nothing, whatever the count says. */
static void nobody(void)
{
    char data[100];
    MPI_Request request;
    LARGE_CALL(Send, 11, NOBODY, data, 100, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    LARGE_CALL(Ssend, 2, NOBODY, data, 100, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    LARGE_CALL(Rsend, 3, NOBODY, data, 100, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    LARGE_PLAIN(Recv, 5, data, 100, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    LARGE_CALL(Isend, 1, NOBODY, data, 100, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
}

/* Three blocks of two ints, five ints apart: 24 bytes of data in an extent of 48. */
static void gaps(int peer)
{
    int data[32] = { 0 };
    MPI_Datatype vector;
    LARGE_PLAIN(Type_vector, 1, 3, 2, 5, MPI_INT, &vector);
    PLAIN(Type_commit, 1, &vector);
    if (rank % 2 == 0)
        LARGE_CALL(Send, 3, 2 * 6 * sizeof(int), data, 2, vector, peer, 9, MPI_COMM_WORLD);
    else
        LARGE_PLAIN(Recv, 3, data, 2, vector, peer, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    PLAIN(Type_free, 1, &vector);
}

static void with_itself(void)
{
    short out[5] = { 7 }, in[5];
    LARGE_CALL(Sendrecv, 3, 5 * sizeof(short), out, 5, MPI_SHORT, 0, 1, in, 5, MPI_SHORT, 0, 1,
               MPI_COMM_SELF, MPI_STATUS_IGNORE);
    VERIFY(in[0] == 7);
}

/* From an absolute address: MPI_BOTTOM is a null pointer in C and must not be taken for a missing
 * buffer. */
static void bottom(int peer)
{
    int data[4] = { 1, 2, 3, 4 };
    MPI_Aint address;
    wide at[1];
    amount length[1] = { 4 };
    MPI_Datatype type;
    PLAIN(Get_address, 1, data, &address);
    at[0] = address;
    LARGE_PLAIN(Type_create_hindexed, 1, 1, length, at, MPI_INT, &type);
    PLAIN(Type_commit, 1, &type);
    if (rank % 2 == 0)
        LARGE_CALL(Send, 2, 4 * sizeof(int), MPI_BOTTOM, 1, type, peer, 10, MPI_COMM_WORLD);
    else
        LARGE_PLAIN(Recv, 2, MPI_BOTTOM, 1, type, peer, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    PLAIN(Type_free, 1, &type);
}

void point_to_point(void)
{
    int peer = rank ^ 1;
    modes(peer);
    ready(peer);
    both_ways(peer);
    nobody();
    gaps(peer);
    with_itself();
    bottom(peer);
}
