/* Fault: the program asks for MPI_THREAD_MULTIPLE, and only its main thread calls MPI.
 * Rule that must speak: thread-level-higher-than-used.
 * Cured by -DCURED: it asks for MPI_THREAD_FUNNELED.
 *
 * Usage: mpirun -np 2 ./thread_level [steps]     3000017 steps take some seconds.
 * Counts on every rank: steps x Allreduce of one double. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 3000017
#ifdef CURED
#define LEVEL MPI_THREAD_FUNNELED
#else
#define LEVEL MPI_THREAD_MULTIPLE
#endif

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    double value = 1.0, total = 0.0;
    int rank, provided;

    MPI_Init_thread(&argc, &argv, LEVEL, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("%d steps, total %g, level as asked for: %s\n", steps, total,
               provided == LEVEL ? "yes" : "no");
    }
    MPI_Finalize();
    return 0;
}
