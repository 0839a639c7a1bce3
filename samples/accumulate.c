/* Fault: all one-sided calls accumulate, which the UCX component of Open MPI does under a lock on
 * the other side. Rule that must speak, when run with OMPI_MCA_osc=ucx: accumulate-through-ucx;
 * ucx-one-sided must stay silent. Cured by -DCURED: the cells are written by one rank only, so that
 * Put is enough.
 *
 * Usage: mpirun -np 2 ./accumulate [calls]     10000019 calls take some seconds.
 * Counts on every rank: calls x Accumulate (cured: Put) of one double, calls / 1009 x Win_flush,
 * one window. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLS 10000019
#define CELLS 1009

static void add(const double *value, int partner, int cell, MPI_Win window)
{
#ifdef CURED
    MPI_Put(value, 1, MPI_DOUBLE, partner, cell, 1, MPI_DOUBLE, window);
#else
    MPI_Accumulate(value, 1, MPI_DOUBLE, partner, cell, 1, MPI_DOUBLE, MPI_SUM, window);
#endif
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : CALLS;
    double value = 1.0, *cells;
    MPI_Win window;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(CELLS * (MPI_Aint)sizeof *cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &cells, &window);
    MPI_Win_lock_all(0, window);
    for (int call = 0; call < calls; call++) {
        add(&value, (rank + 1) % size, call % CELLS, window);
        if (call % CELLS == CELLS - 1) {
            MPI_Win_flush((rank + 1) % size, window);
        }
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d calls, window of %d cells\n", calls, CELLS);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
