/* Faults: a lock and an unlock around every small Put, a counter that is fetched for every task,
 * and a window for every block of steps. Rules that must speak: lock-each-call, many-small-puts,
 * hot-counter, window-churn. Cured by -DCURED: one window, locked once; one Put of all values in a
 * block; a block of tasks is fetched at a time.
 *
 * Usage: mpirun -np 2 ./onesided_habits [blocks]     211 blocks take some seconds.
 * Counts on every rank: blocks x 503 x (Win_lock, Put, Win_unlock) and as many Fetch_and_op; blocks
 * x (Win_allocate, Win_free). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 211
#define CELLS  503

static double values[CELLS];

static MPI_Win window_for(double **cells)
{
    MPI_Win window;
    MPI_Win_allocate((CELLS + 1) * (MPI_Aint)sizeof **cells, sizeof **cells, MPI_INFO_NULL,
                     MPI_COMM_WORLD, cells, &window);
    return window;
}

static void fetch_task(MPI_Win window)
{
    double one = 1.0, task;
    MPI_Fetch_and_op(&one, &task, MPI_DOUBLE, 0, CELLS, MPI_SUM, window);
    MPI_Win_flush(0, window);
}

static void block(MPI_Win window, int partner)
{
#ifdef CURED
    MPI_Put(values, CELLS, MPI_DOUBLE, partner, 0, CELLS, MPI_DOUBLE, window);
    MPI_Win_flush(partner, window);
#else
    for (int cell = 0; cell < CELLS; cell++) {
        MPI_Win_lock(MPI_LOCK_SHARED, partner, 0, window);
        MPI_Put(values + cell, 1, MPI_DOUBLE, partner, cell, 1, MPI_DOUBLE, window);
        MPI_Win_unlock(partner, window);
    }
    MPI_Win_lock_all(0, window);
    for (int task = 0; task < 3 * CELLS; task++) {
        fetch_task(window);
    }
    MPI_Win_unlock_all(window);
#endif
}

int main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : BLOCKS;
    double *cells;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef CURED
    MPI_Win kept = window_for(&cells);
    MPI_Win_lock_all(0, kept);
#endif
    for (int each = 0; each < blocks; each++) {
        values[each % CELLS] = each;
#ifdef CURED
        block(kept, (rank + 1) % size);
        fetch_task(kept);
#else
        MPI_Win window = window_for(&cells);
        block(window, (rank + 1) % size);
        MPI_Win_free(&window);
#endif
    }
#ifdef CURED
    MPI_Win_unlock_all(kept);
    MPI_Win_free(&kept);
#endif
    if (rank == 0) {
        printf("%d blocks of %d values\n", blocks, CELLS);
    }
    MPI_Finalize();
    return 0;
}
