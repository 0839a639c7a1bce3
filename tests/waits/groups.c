/* Two groups of one rank: the last sends 8 bytes after each piece of work, over an
 * intercommunicator, and rank 0 prints for how long it received by its own clock. */
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 50 };

int main(int argc, char **argv)
{
    MPI_Comm own, other;
    int rank, value = argc;
    double inside = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank, 0, &other);
    for (int step = 0; step < STEPS; step++) {
        double begin = MPI_Wtime();
        if (rank) {
            while (MPI_Wtime() - begin < 0.01) {
            }
            MPI_Send(&value, 1, MPI_INT, 0, 0, other);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
            inside += MPI_Wtime() - begin;
        }
    }
    if (!rank) {
        printf("%.6f\n", inside);
    }
    MPI_Comm_free(&other);
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
