/* EPOCHS times each rank adds to the window of the next one, of two to the other's, and flushes,
 * under MPI_Win_lock_all.
 *
 * Usage: flushes EPOCHS */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, *memory;
    const int one = 1, turns = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    MPI_Win_lock_all(0, window);
    for (int k = 0; k < turns; k++) {
        MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_flush(next, window);
        MPI_Win_flush_local_all(window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
