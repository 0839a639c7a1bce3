/* Fault: a barrier between any two pieces of work, though nothing depends on it.
 * Rule that must speak: many-barriers.
 * Cured by -DCURED: the barriers are gone.
 *
 * Usage: mpirun -np 2 ./many_barriers [steps]     200003 steps take some seconds.
 * Counts on every rank: steps x Barrier (cured: none), 1 x Allreduce of one double. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 200003
#define PIECE 2003 /* turns of the loop that stands for work */

static double work(double value, int turns)
{
    for (int turn = 0; turn < turns; turn++) {
        value = value * 0.999999 + 1e-6;
    }
    return value;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    double value = 1.0, total = 0.0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        /* Ranks are late in turns, so that each barrier waits and the totals are even. */
        value = work(value, (step + rank) % 2 ? PIECE : 3 * PIECE);
#ifndef CURED
        MPI_Barrier(MPI_COMM_WORLD);
#endif
    }
    MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d steps, total %g\n", steps, total);
    }
    MPI_Finalize();
    return 0;
}
