/* Two ranks: rank 0 waits 13 x 20 ms in MPI_Allreduce, rank 1 waits 11 x 10 ms in MPI_Recv; all
 * numbers of calls are primes. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char sent[1 << 16], received[1 << 16];

static void reduce(int rank)
{
    double mine = rank, all;
    if (rank == 1)
        usleep(20000);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void message(int rank)
{
    if (rank == 0) {
        usleep(10000);
        MPI_Send(sent, 1000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1)
        MPI_Recv(received, 1000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void touch(volatile char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i += 4096)
        bytes[i] = 1;
}

static void exchange(int rank)
{
    MPI_Request requests[2];
    MPI_Irecv(received, sizeof received, MPI_CHAR, !rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, sizeof sent, MPI_CHAR, !rank, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 13; i++)
        reduce(rank);
    for (int i = 0; i < 11; i++)
        message(rank);
    for (int i = 0; i < 7; i++)
        exchange(rank);
    for (int i = 0; i < 3; i++)
        MPI_Bcast(sent, 100, MPI_CHAR, 0, MPI_COMM_WORLD);
    touch(malloc(4 << 20), 4 << 20);
    if (argc > 1 && !strcmp(argv[1], "abort") && rank == 1)
        abort();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return argc > 1 && rank == 0 ? atoi(argv[1]) : 0;
}
