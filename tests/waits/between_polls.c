/* Rank 1 asks for a message of rank 0 that comes late, and does something else between its calls.
 * It prints the seconds from each call that found nothing to the next one, by its own clock, and
 * those that do not count since another call lies between. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 40, EACH = 40 };

static void work(double seconds)
{
    const double until = MPI_Wtime() + seconds;
    while (MPI_Wtime() < until) {
    }
}

static double between, apart;

static void ask(MPI_Request *request, int interrupted)
{
    int done = 0, rank;
    double left = 0;
    while (!done) {
        const double now = MPI_Wtime();
        if (left > 0) {
            *(interrupted ? &apart : &between) += now - left;
        }
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        left = MPI_Wtime();
        if (!done) {
            work(2e-4);
            if (interrupted) {
                MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            }
        }
    }
    work(2e-4); /* what was asked for has come: this time is no longer between polls */
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            work(EACH * 2e-4);
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Request request;
            MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
            ask(&request, round % 2);
        }
    }
    if (rank == 1) {
        printf("%.9f %.9f\n", between, apart);
    }
    MPI_Finalize();
    return 0;
}
