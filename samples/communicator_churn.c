/* Fault: each step makes a communicator, uses it once and frees it.
 * Rule that must speak: communicator-churn; with the second argument "keep", which frees none:
 * communicators-not-freed. Cured by -DCURED: it is made once and kept.
 *
 * Usage: mpirun -np 2 ./communicator_churn [steps] [keep]     100003 steps take some seconds.
 * Counts on every rank: steps x Comm_split and Comm_free (cured: 1), steps x Allreduce of one
 * double. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 100003

static MPI_Comm group_of(int rank)
{
    MPI_Comm group;

    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &group);
    return group;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    double value = 1.0, total = 0.0;
    MPI_Comm group = MPI_COMM_NULL;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        if (group == MPI_COMM_NULL) {
            group = group_of(rank);
        }
        MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_MAX, group);
#ifndef CURED
        if (argc > 2) {
            group = MPI_COMM_NULL; /* lost, not freed */
        } else {
            MPI_Comm_free(&group);
        }
#endif
    }
    if (group != MPI_COMM_NULL) {
        MPI_Comm_free(&group);
    }
    if (rank == 0) {
        printf("%d steps, largest %g\n", steps, total);
    }
    MPI_Finalize();
    return 0;
}
