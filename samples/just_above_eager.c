/* Fault: all messages have 16 KiB, a little more than the eager limit of Open MPI inside a host.
 * Rule that must speak under Open MPI: eager-limit-in-host.
 * Cured by -DCURED: messages of 2 KiB, below the limit.
 *
 * Usage: mpirun -np 2 ./just_above_eager [steps]     200003 steps take some seconds.
 * Counts on every rank: steps x Send and Recv of 16384 bytes (cured: 2048). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 200003
#ifdef CURED
#define SIZE 2048
#else
#define SIZE 16384
#endif

static char mine[SIZE], theirs[SIZE];

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    int rank, size, partner;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    partner = rank ^ 1;
    for (int step = 0; step < steps && partner < size; step++) {
        memset(mine, step, sizeof mine);
        if (rank % 2 == 0) {
            MPI_Send(mine, SIZE, MPI_CHAR, partner, 0, MPI_COMM_WORLD);
            MPI_Recv(theirs, SIZE, MPI_CHAR, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(theirs, SIZE, MPI_CHAR, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(mine, SIZE, MPI_CHAR, partner, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0) {
        printf("%d steps, last byte %d\n", steps, theirs[0]);
    }
    MPI_Finalize();
    return 0;
}
