/* Faults: in each step a rank sends to itself, sends empty messages as signals, and sends by modes that cost more than MPI_Send
 * (synchronous and buffered).
 * Rules that must speak: messages-to-self, empty-messages, synchronous-sends, buffered-sends.
 * Cured by -DCURED: what stays on a rank is copied, the flag travels with the data, and MPI_Send sends it.
 *
 * Usage: mpirun -np 2 ./message_habits [steps]     50021 steps take some seconds.
 * Counts on every rank: steps x Sendrecv to itself, 2 x steps x Sendrecv of nothing, steps x Ssend and steps x Bsend
 * (cured: 2 x steps x Sendrecv to the partner). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 50021
#define SIZE 4096

static char out[SIZE], in[SIZE], room[2 * (SIZE + MPI_BSEND_OVERHEAD)];

#ifndef CURED
static void exchange(int partner, int first)
{
    if (first) {
        MPI_Ssend(out, SIZE, MPI_CHAR, partner, 1, MPI_COMM_WORLD);
        MPI_Recv(in, SIZE, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in, SIZE, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(out, SIZE, MPI_CHAR, partner, 1, MPI_COMM_WORLD);
    }
    MPI_Bsend(out, SIZE, MPI_CHAR, partner, 2, MPI_COMM_WORLD);
    MPI_Recv(in, SIZE, MPI_CHAR, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#endif

static void step(int rank, int partner)
{
#ifdef CURED
    (void)rank;
    memcpy(in, out, SIZE);
    for (int tag = 1; tag <= 2; tag++) {
        MPI_Sendrecv(out, SIZE, MPI_CHAR, partner, tag, in, SIZE, MPI_CHAR, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
#else
    MPI_Sendrecv(out, SIZE, MPI_CHAR, rank, 0, in, SIZE, MPI_CHAR, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int signal = 3; signal <= 4; signal++) {
        MPI_Sendrecv(NULL, 0, MPI_CHAR, partner, signal, NULL, 0, MPI_CHAR, partner, signal, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    exchange(partner, rank < partner);
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    int rank, length = sizeof room;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(room, length);
    for (int each = 0; each < steps; each++) {
        out[each % SIZE] = (char)each;
        step(rank, rank ^ 1);
    }
    MPI_Buffer_detach(&(char *){ NULL }, &length);
    if (rank == 0) {
        printf("%d steps, last byte %d\n", steps, in[(steps - 1) % SIZE]);
    }
    MPI_Finalize();
    return 0;
}
