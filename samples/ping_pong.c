/* No fault of the program: 8 bytes go back and forth between two ranks of a host, and each waits
 * for the other. Rule that must speak: ucx-in-host, under Open MPI from 5.0 on, whose own choice
 * without a fast network is the layer ob1. Cured by OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any
 * OMPI_MCA_pml_ucx_devices=any.
 *
 * Usage: mpirun -np 2 ./ping_pong [turns]     5000011 turns take some seconds.
 * Counts on every rank: as many Send and Recv of 8 bytes as turns. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define TURNS 5000011

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : TURNS;
    int rank;
    double ball = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < turns && rank < 2; turn++) {
        if (rank == 0) {
            MPI_Send(&ball, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&ball, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&ball, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ball++;
            MPI_Send(&ball, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0) {
        printf("%d turns, counted %.0f\n", turns, ball);
    }
    MPI_Finalize();
    return 0;
}
