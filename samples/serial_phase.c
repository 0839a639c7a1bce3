/* Fault: in each step rank 0 works alone, while all others wait for it in MPI_Bcast.
 * Rule that must speak: serial-phase-rank-0.
 * Cured by -DCURED: every rank does its part of that work.
 *
 * Usage: mpirun -np 4 ./serial_phase [steps [asleep]]     211 steps take about 11 s, cured 6 s.
 * Counts on every rank: steps x Bcast of one double, steps x Allreduce of one double.
 * It needs a core for each rank. With "asleep" ranks sleep instead of computing, as if they waited
 * for files: late-rank-asleep must speak then, also on a machine with fewer cores than ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS  211
#define COMMON 0.02 /* seconds that every rank works in one step */
#define ALONE  0.03 /* seconds that rank 0 works alone */

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

static void prepare(int rank, int size)
{
#ifdef CURED
    (void)rank;
    work(ALONE / size);
#else
    (void)size;
    if (rank == 0) {
        work(ALONE);
    }
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    double forcing = 1.0, energy = 0.0;
    int rank, size;

    asleep = argc > 2 && strcmp(argv[2], "asleep") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < steps; step++) {
        prepare(rank, size);
        MPI_Bcast(&forcing, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        work(COMMON);
        MPI_Allreduce(&forcing, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("%d steps, energy %g\n", steps, energy);
    }
    MPI_Finalize();
    return 0;
}
