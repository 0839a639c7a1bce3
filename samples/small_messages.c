/* Fault: 97 messages of 1 KiB go to the same neighbour in each step, one by one.
 * Rule that must speak: many-small-messages.
 * Cured by -DCURED: they travel in one message of 97 KiB.
 *
 * Usage: mpirun -np 2 ./small_messages [steps]     5003 steps take some seconds.
 * Counts on every rank: 97 x steps Send and Recv of 1024 bytes (cured: steps of 99328 bytes). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS  5003
#define PIECES 97
#define PIECE  1024
#ifdef CURED
#define MESSAGES 1
#else
#define MESSAGES PIECES
#endif
#define SIZE (PIECES * PIECE / MESSAGES)

static char mine[PIECES * PIECE], theirs[PIECES * PIECE];

static void send_all(int partner)
{
    for (int message = 0; message < MESSAGES; message++) {
        MPI_Send(mine + message * SIZE, SIZE, MPI_CHAR, partner, message, MPI_COMM_WORLD);
    }
}

static void receive_all(int partner)
{
    for (int message = 0; message < MESSAGES; message++) {
        MPI_Recv(theirs + message * SIZE, SIZE, MPI_CHAR, partner, message, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

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
            send_all(partner);
            receive_all(partner);
        } else {
            receive_all(partner);
            send_all(partner);
        }
    }
    if (rank == 0) {
        printf("%d steps, last byte %d\n", steps, theirs[0]);
    }
    MPI_Finalize();
    return 0;
}
