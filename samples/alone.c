/* Faults: each rank sends to itself, and reduces over communicators of one rank.
 * Rules that must speak: messages-to-self, collectives-of-one.
 * Cured by -DCURED: plain copies.
 *
 * Usage: mpirun -np 2 ./alone [steps]     500009 steps take some seconds.
 * Counts on every rank: steps x Sendrecv to itself, steps x Allreduce on MPI_COMM_SELF (cured:
 * none). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 500009
#define COUNT 4096

static double in[COUNT], between[COUNT], out[COUNT];

static void step(int rank)
{
#ifdef CURED
    (void)rank;
    memcpy(between, in, sizeof in);
    memcpy(out, between, sizeof between);
#else
    MPI_Sendrecv(in, COUNT, MPI_DOUBLE, rank, 0, between, COUNT, MPI_DOUBLE, rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(between, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int each = 0; each < steps; each++) {
        in[each % COUNT] += out[(each + 1) % COUNT] + 1;
        step(rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d steps, first value %g\n", steps, out[0]);
    }
    MPI_Finalize();
    return 0;
}
