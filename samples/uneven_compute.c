/* Fault: the last rank works four times as long as the others, who wait for it in every
 * MPI_Allreduce. Rule that must speak: uneven-compute. Cured by -DCURED: the same work in total,
 * spread evenly.
 *
 * Usage: mpirun -np 4 ./uneven_compute [steps]     211 steps take about 11 s, cured 5 s.
 * Counts on every rank: steps x Allreduce of one double, 2 x Barrier.
 * The work is done asleep, so that the program shows the same picture on a machine with fewer cores
 * than ranks, where ranks that wait inside MPI would take the cores from those that compute. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEPS 211    /* prime, so that a miscount cannot hide in a product */
#define SHARE 0.0125 /* seconds of work of an ordinary rank in one step */
#define EXTRA 4      /* the late rank has this many shares */

static void work(double seconds)
{
    struct timespec left = { (time_t)seconds, (long)((seconds - (long)seconds) * 1e9) };

    while (nanosleep(&left, &left) != 0) {
    }
}

static double share_of(int rank, int size)
{
#ifdef CURED
    (void)rank;
    return SHARE * (size - 1 + EXTRA) / size;
#else
    return rank == size - 1 ? SHARE * EXTRA : SHARE;
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    double residual = 1.0, total = 0.0;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < steps; step++) {
        work(share_of(rank, size));
        MPI_Allreduce(&residual, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        residual = total / size;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d steps, residual %g\n", steps, residual);
    }
    MPI_Finalize();
    return 0;
}
