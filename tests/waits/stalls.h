/* How long ranks that compute or have nothing to wait for did not run: another program, or the host
 * of a virtual machine, had the core. */
#ifndef ADVISOR_STALLS_H
#define ADVISOR_STALLS_H

#include <mpi.h>

static const double STALL =
    1e-3; /* seconds; a look at the clock takes 50 ns, and a message of 8 bytes some microseconds */
static double stalled_outside;

static double now(void);

/* Looks at the clock all the time: what lies between two looks is no computing. */
static void compute(double seconds)
{
    double last = now();
    for (const double end = last + seconds; last < end;) {
        const double next = now();
        stalled_outside += next - last > STALL ? next - last : 0;
        last = next;
    }
}

/* Of a call in which nobody was waited for any more since `since`. */
static double stall_in(double since, double exit)
{
    return exit - since > STALL ? exit - since : 0;
}

/* Outside of calls, of all ranks; on rank 0. */
static double stalls_of_all(int rank, int size)
{
    double all[64], sum = 0;
    MPI_Gather(&stalled_outside, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        sum += all[i];
    return sum;
}

#endif
