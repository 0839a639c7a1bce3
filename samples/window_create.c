/* Fault: the window lies over memory of the program (MPI_Win_create), so that Put inside a host
 * cannot use shared memory. Rule that must speak: win-create-instead-of-allocate. Cured by -DCURED:
 * MPI_Win_allocate gives out the memory.
 *
 * Usage: mpirun -np 2 ./window_create [puts]     1000003 puts take some seconds.
 * Counts on every rank: puts x Put of one double, puts / 1009 x Win_flush, one window. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define PUTS  1000003
#define CELLS 1009

static double *make_window(MPI_Win *window)
{
    double *cells = NULL;
    MPI_Aint size = CELLS * (MPI_Aint)sizeof *cells;

#ifdef CURED
    MPI_Win_allocate(size, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &cells, window);
#else
    cells = malloc((size_t)size);
    MPI_Win_create(cells, size, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, window);
#endif
    return cells;
}

int main(int argc, char **argv)
{
    int puts = argc > 1 ? atoi(argv[1]) : PUTS;
    double value = 1.0, *cells;
    MPI_Win window;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cells = make_window(&window);
    MPI_Win_lock_all(0, window);
    for (int put = 0; put < puts; put++) {
        MPI_Put(&value, 1, MPI_DOUBLE, (rank + 1) % size, put % CELLS, 1, MPI_DOUBLE, window);
        if (put % CELLS == CELLS - 1) {
            MPI_Win_flush((rank + 1) % size, window);
        }
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d puts, first cell %g\n", puts, cells[0]);
    }
    MPI_Win_free(&window);
#ifndef CURED
    free(cells);
#endif
    MPI_Finalize();
    return 0;
}
