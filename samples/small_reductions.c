/* Fault: seven numbers are summed one by one in each step.
 * Rule that must speak: small-reductions.
 * Cured by -DCURED: they are summed together, and only in every hundred-and-first step.
 *
 * Usage: mpirun -np 2 ./small_reductions [steps]     300007 steps take some seconds.
 * Counts on every rank: 7 x steps Allreduce of one double (cured: steps / 101 of seven doubles). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 300007
#define SUMS  7
#define EVERY 101
#define PIECE 2003 /* turns of the loop that stands for work */

static double work(double value)
{
    for (int turn = 0; turn < PIECE; turn++) {
        value = value * 0.999999 + 1e-6;
    }
    return value;
}

static void sum(const double *mine, double *total, int step)
{
#ifdef CURED
    if (step % EVERY == EVERY - 1) {
        MPI_Allreduce(mine, total, SUMS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
#else
    (void)step;
    for (int each = 0; each < SUMS; each++) {
        MPI_Allreduce(&mine[each], &total[each], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    double mine[SUMS] = { 1, 2, 3, 4, 5, 6, 7 }, total[SUMS] = { 0 };
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        mine[0] = work(mine[0]);
        sum(mine, total, step);
    }
    if (rank == 0) {
        printf("%d steps, last sum %g\n", steps, total[SUMS - 1]);
    }
    MPI_Finalize();
    return 0;
}
