/* Fault: two values at a time are put into a dynamic window, and a fence stands behind each pair.
 * Rules that must speak: fence-for-few-calls, many-small-puts, dynamic-windows.
 * Cured by -DCURED: an allocated window, and one put of 97 pairs between two fences.
 *
 * Usage: mpirun -np 2 ./small_puts [steps]     steps x 2 Put of 8 bytes and 1 Win_fence on every
 * rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 20011
#define PAIRS 97

static MPI_Win make_window(double *values, MPI_Aint *theirs, int partner)
{
    MPI_Win window;
#ifdef CURED
    double *inside;
    MPI_Win_allocate(2 * PAIRS * sizeof *values, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &inside,
                     &window);
    (void)partner;
    *theirs = 0;
#else
    MPI_Aint mine;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, values, 2 * PAIRS * sizeof *values);
    MPI_Get_address(values, &mine);
    MPI_Sendrecv(&mine, 1, MPI_AINT, partner, 0, theirs, 1, MPI_AINT, partner, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
#endif
    return window;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    static double from[2 * PAIRS], to[2 * PAIRS];
    MPI_Aint theirs;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win window = make_window(to, &theirs, rank ^ 1);
    MPI_Win_fence(0, window);
#ifdef CURED
    for (int step = 0; step < steps / PAIRS; step++) {
        MPI_Put(from, 2 * PAIRS, MPI_DOUBLE, rank ^ 1, theirs, 2 * PAIRS, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
    }
#else
    for (int step = 0; step < steps; step++) {
        for (int which = 0; which < 2; which++) {
            MPI_Put(from + which, 1, MPI_DOUBLE, rank ^ 1, theirs + which * (MPI_Aint)sizeof *to, 1,
                    MPI_DOUBLE, window);
        }
        MPI_Win_fence(0, window);
    }
    MPI_Win_detach(window, to);
#endif
    if (rank == 0) {
        printf("%d steps\n", steps);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
