/* Faults: in each step ranks exchange two empty messages as signals, and send their data by
 * MPI_Ssend. Rules that must speak: empty-messages, synchronous-sends. Cured by -DCURED: the
 * signals travel with the data, which MPI_Sendrecv exchanges.
 *
 * Usage: mpirun -np 2 ./message_habits [steps]     50021 steps take some seconds.
 * Counts on every rank: 2 x steps x Sendrecv of nothing and steps x Ssend (cured: steps x
 * Sendrecv). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 50021
#define SIZE  4096

static char out[SIZE], in[SIZE];

#ifdef CURED
static void step(int rank, int partner)
{
    (void)rank;
    MPI_Sendrecv(out, SIZE, MPI_CHAR, partner, 1, in, SIZE, MPI_CHAR, partner, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}
#else
static void step(int rank, int partner)
{
    for (int signal = 2; signal <= 3; signal++) {
        MPI_Sendrecv(NULL, 0, MPI_CHAR, partner, signal, NULL, 0, MPI_CHAR, partner, signal,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank < partner) {
        MPI_Ssend(out, SIZE, MPI_CHAR, partner, 1, MPI_COMM_WORLD);
        MPI_Recv(in, SIZE, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in, SIZE, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(out, SIZE, MPI_CHAR, partner, 1, MPI_COMM_WORLD);
    }
}
#endif

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int each = 0; each < steps; each++) {
        out[each % SIZE] = (char)each;
        step(rank, rank ^ 1);
    }
    if (rank == 0) {
        printf("%d steps, last byte %d\n", steps, in[(steps - 1) % SIZE]);
    }
    MPI_Finalize();
    return 0;
}
