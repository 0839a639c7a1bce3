/* Fault: the receiver asks with MPI_Test over and over, and does nothing in between.
 * Rule that must speak: frequent-polling.
 * Cured by -DCURED: it calls MPI_Wait.
 *
 * Usage: mpirun -np 2 ./polling [steps [pause|look]]     499 steps take about 5 s.
 * With "pause" it sleeps for 1 ms between two calls: pauses-between-polls must speak.
 * With "look" it looks for 20 us whether there is something else to do, and rank 0 computes instead
 * of sleeping: polled-late-rank must speak.
 * Counts: steps x Send on rank 0; steps x Irecv and steps x Wait (cured) or many Test on rank 1. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS 499
#define WORK  0.01 /* seconds between two messages */

static void work(double seconds)
{
    struct timespec left = { (time_t)seconds, (long)((seconds - (long)seconds) * 1e9) };

    while (nanosleep(&left, &left) != 0) {
    }
}

static void compute(double seconds)
{
    const double until = MPI_Wtime() + seconds;

    while (MPI_Wtime() < until) {
    }
}

static double pause_between, look_between;

static void complete(MPI_Request *request)
{
#ifdef CURED
    MPI_Wait(request, MPI_STATUS_IGNORE);
#else
    int done = 0;

    while (!done) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && pause_between > 0) {
            work(pause_between);
        } else if (!done) {
            compute(look_between);
        }
    }
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    double value = 0.0;
    int rank;

    pause_between = argc > 2 && strcmp(argv[2], "pause") == 0 ? 0.001 : 0;
    look_between = argc > 2 && strcmp(argv[2], "look") == 0 ? 2e-5 : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        if (rank == 0) {
            if (look_between > 0) {
                compute(WORK);
            } else {
                work(WORK);
            }
            value += 1.0;
            MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Request request;

            MPI_Irecv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
            complete(&request);
        }
    }
    if (rank == 1) {
        printf("%d steps, last value %g\n", steps, value);
    }
    MPI_Finalize();
    return 0;
}
