/* Fault: rank 0 holds a table of 1.2 GiB that the others do not have.
 * Rule that must speak: one-rank-holds-the-memory.
 * Cured by -DCURED: every rank holds its part.
 *
 * Usage: mpirun -np 4 ./memory [steps]     steps x Barrier. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 11
#define TABLE ((size_t)1200 << 20)

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS, rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef CURED
    size_t bytes = TABLE / size;
#else
    size_t bytes = rank == 0 ? TABLE : TABLE / 1200;
#endif
    char *table = malloc(bytes);
    if (table) {
        memset(table, 1, bytes);
    }
    for (int step = 0; step < steps; step++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (table &&
        table[bytes - 1] != 1) { /* without a look at it the compiler leaves the table out */
        return 1;
    }
    free(table);
    MPI_Finalize();
    return 0;
}
