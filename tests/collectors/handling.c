/* Calls whose data the library cannot hand to its fast paths, each a number of its own, and beside
 * them calls of the same operations with plain data. Two ranks, each with itself and the other. */
#include <mpi.h>

static double data[4096], other[4096];

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((double *)inout)[i] += ((double *)in)[i];
}

static MPI_Datatype column(void) /* 8 doubles, each 4 apart */
{
    MPI_Datatype made;
    MPI_Type_vector(8, 1, 4, MPI_DOUBLE, &made);
    MPI_Type_commit(&made);
    return made;
}

static MPI_Datatype spaced(void) /* one double in the room of two */
{
    MPI_Datatype made;
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &made);
    MPI_Type_commit(&made);
    return made;
}

static MPI_Datatype dense(void) /* derived, in one piece */
{
    MPI_Datatype made;
    MPI_Type_contiguous(8, MPI_DOUBLE, &made);
    MPI_Type_commit(&made);
    return made;
}

static void reductions(void)
{
    MPI_Op commutative, ordered;
    MPI_Op_create(add, 1, &commutative);
    MPI_Op_create(add, 0, &ordered);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(data, other, 4, MPI_DOUBLE, commutative, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        MPI_Reduce(data, other, 2, MPI_DOUBLE, ordered, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 7; i++)
        MPI_Allreduce(data, other, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Op_free(&commutative);
    MPI_Op_free(&ordered);
    MPI_Allreduce(data, other, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void started(MPI_Datatype gaps, int peer)
{
    MPI_Request both[2];
    MPI_Send_init(data, 1, gaps, peer, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Recv_init(other, 8, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &both[1]);
    for (int i = 0; i < 6; i++) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

static void send(int count, MPI_Datatype type, int into, MPI_Datatype as, int times, int rank)
{
    for (int i = 0; i < times; i++)
        if (rank)
            MPI_Recv(other, into, as, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(data, count, type, 1, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    reductions();
    MPI_Datatype gaps = column(), room = spaced(), whole = dense(), again;
    send(8, MPI_DOUBLE, 8, MPI_DOUBLE, 9, rank);
    send(1, whole, 8, MPI_DOUBLE, 10, rank);
    send(2, gaps, 16, MPI_DOUBLE, 11, rank); /* the sender's have gaps, not the receiver's */
    send(8, MPI_DOUBLE, 1, gaps, 12, rank);  /* and the other way round */
    send(1, room, 1, MPI_DOUBLE, 13, rank);  /* one alone has none */
    send(4, room, 4, MPI_DOUBLE, 14, rank);
    for (int i = 0; i < 15; i++)
        MPI_Sendrecv(data, 1, gaps, 1 - rank, 0, other, 8, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    for (int i = 0; i < 16; i++)
        MPI_Sendrecv(data, 1, whole, 1 - rank, 0, other, 8, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    started(gaps, 1 - rank);
    MPI_Type_free(&gaps);
    MPI_Type_contiguous(8, MPI_DOUBLE, &again); /* which may get the handle that is free now */
    MPI_Type_commit(&again);
    send(1, again, 1, again, 17, rank);
    for (int i = 0; i < 18; i++)
        MPI_Alltoall(data, 2, room, other, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
