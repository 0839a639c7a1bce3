/* Fault: each step builds a datatype anew, and packs a row element by element.
 * Rule that must speak: local-calls.
 * Cured by -DCURED: one datatype for all steps, with which the row is sent.
 *
 * Usage: mpirun -np 2 ./local_calls [steps]     2003 steps take about 2 s.
 * Counts: steps x Sendrecv on each of two ranks; steps x LENGTH x Pack and 1 + steps x Type_vector,
 * or 1 x Type_vector (cured). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS  2003
#define LENGTH 4000

static double row[2 * LENGTH], received[LENGTH];
#ifndef CURED
static double packed[LENGTH];
#endif

#ifndef CURED
static void pack(void)
{
    int place = 0;

    for (int i = 0; i < LENGTH; i++) {
        MPI_Pack(&row[2 * i], 1, MPI_DOUBLE, packed, (int)sizeof packed, &place, MPI_COMM_WORLD);
    }
}
#endif

static MPI_Datatype make_column(void)
{
    MPI_Datatype column;

    MPI_Type_vector(LENGTH, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    return column;
}

static void exchange(void *what, int count, MPI_Datatype type, int rank, int size)
{
    MPI_Sendrecv(what, count, type, (rank + 1) % size, 0, received, LENGTH, MPI_DOUBLE,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    int rank, size;
    MPI_Datatype column;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    column = make_column();
    for (int step = 0; step < steps; step++) {
#ifdef CURED
        exchange(row, 1, column, rank, size);
#else
        MPI_Type_free(&column);
        column = make_column();
        pack();
        exchange(packed, (int)sizeof packed, MPI_PACKED, rank, size);
#endif
        row[0] += received[0] + 1.0;
    }
    MPI_Type_free(&column);
    if (rank == 0) {
        printf("%d steps, last value %g\n", steps, row[0]);
    }
    MPI_Finalize();
    return 0;
}
