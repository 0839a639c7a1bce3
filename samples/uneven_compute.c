/* Fault: the last rank works four times as long as the others, who wait for it in every
 * MPI_Allreduce. Rule that must speak: uneven-compute. Cured by -DCURED: the same work in total,
 * spread evenly.
 *
 * Usage: mpirun -np 4 ./uneven_compute [steps [asleep]]     211 steps take about 11 s, cured 5 s.
 * Counts on every rank: steps x Allreduce of one double, 2 x Barrier.
 * It needs a core for each rank. With "asleep" ranks sleep instead of computing, as if they waited
 * for files: late-rank-asleep must speak then, also on a machine with fewer cores than ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS 211    /* prime, so that a miscount cannot hide in a product */
#define SHARE 0.0125 /* seconds of work of an ordinary rank in one step */
#define EXTRA 4      /* the late rank has this many shares */

static int asleep;

static double cpu_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static void work(double seconds)
{
    struct timespec left = { (time_t)seconds, (long)((seconds - (long)seconds) * 1e9) };

    if (!asleep) {
        for (double end = cpu_time() + seconds; cpu_time() < end;) {
        }
        return;
    }
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

    asleep = argc > 2 && strcmp(argv[2], "asleep") == 0;
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
