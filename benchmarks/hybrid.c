/* OpenMP threads compute in short parallel regions, with a sum over all ranks behind each: what
 * binding, places and the way of waiting of threads change.
 *
 * Usage: mpirun -n 1 ./hybrid STEPS     40 steps take about a second on two cores. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define REGIONS 50
#define CELLS   20000

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 40, rank, provided;
    double mine = 0, all = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double begin = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        for (int region = 0; region < REGIONS; region++) {
#pragma omp parallel for reduction(+ : mine) schedule(static)
            for (int cell = 1; cell < CELLS; cell++) {
                mine += sqrt(cell + mine * 1e-9);
            }
        }
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("sum: %g\nelapsed: %.6f s\n", all, MPI_Wtime() - begin);
    }
    MPI_Finalize();
    return 0;
}
