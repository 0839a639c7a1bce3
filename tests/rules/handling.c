/* Messages of a column of a matrix, or of as much in one piece; reductions with an operator of the
 * program's own, or with the standard's. Usage: handling gaps|whole|own|standard. Two ranks. */
#include <mpi.h>
#include <string.h>

enum { ROWS = 1 << 16, APART = 8, ROUNDS = 300 };
static double data[ROWS * APART], other[ROWS * APART];

static void larger(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const double *from = in;
    double *to = inout;
    (void)type;
    for (int i = 0; i < *length; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

static void messages(MPI_Datatype type, int rank)
{
    for (int i = 0; i < ROUNDS; i++)
        if ((i + rank) % 2)
            MPI_Send(data, 1, type, 1 - rank, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(other, 1, type, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void reductions(MPI_Op operator)
{
    for (int i = 0; i < ROUNDS; i++)
        MPI_Allreduce(data, other, ROWS, MPI_DOUBLE, operator, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Datatype column, whole;
    MPI_Op own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(ROWS, 1, APART, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_contiguous(ROWS, MPI_DOUBLE, &whole);
    MPI_Type_commit(&whole);
    MPI_Op_create(larger, 0, &own);
    if (!strcmp(argv[argc - 1], "gaps"))
        messages(column, rank);
    else if (!strcmp(argv[argc - 1], "whole"))
        messages(whole, rank);
    else
        reductions(strcmp(argv[argc - 1], "own") ? MPI_MAX : own);
    MPI_Type_free(&column);
    MPI_Type_free(&whole);
    MPI_Op_free(&own);
    MPI_Finalize();
    return 0;
}
