/* Faults: a sum is reduced to rank 0 and broadcast from there, and pieces are gathered and
 * broadcast. Rules that must speak: reduce-then-broadcast, gather-then-broadcast. Cured by -DCURED:
 * one Allreduce and one Allgather.
 *
 * Usage: mpirun -np 2 ./collective_habits [steps]     100003 steps take some seconds.
 * Counts on every rank: steps x Reduce, 2 x steps x Bcast, steps x Gather (cured: steps x
 * Allreduce, steps x Allgather). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 100003
#define COUNT 509
#define MOST  4096

static double mine[COUNT], sums[COUNT], all[MOST * COUNT];

static void step(int size)
{
#ifdef CURED
    (void)size;
    MPI_Allreduce(mine, sums, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(mine, COUNT, MPI_DOUBLE, all, COUNT, MPI_DOUBLE, MPI_COMM_WORLD);
#else
    MPI_Reduce(mine, sums, COUNT, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(sums, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(mine, COUNT, MPI_DOUBLE, all, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(all, size * COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MOST) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int each = 0; each < steps; each++) {
        mine[each % COUNT] += rank + 1;
        step(size);
    }
    if (rank == 0) {
        printf("%d steps, first sum %g, last piece %g\n", steps, sums[0], all[size * COUNT - 1]);
    }
    MPI_Finalize();
    return 0;
}
