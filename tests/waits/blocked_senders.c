/* Rank 0 sends long messages, and rank 1 is late for them in one of three ways: "progress", it has
 * posted the receive and works before it completes it; "between", it makes other calls after its
 * work, and works on; "exchange", it comes late to MPI_Sendrecv
 * that receives from rank 0 alone. "short": as "progress", with messages that go at once.
 * Prints how long rank 0 was blocked, by the program's own clock: from where it began to send to
 * where rank 1 was there, of messages that had not been sent by then; of others to where rank 1 had
 * posted the receive, if they had not been sent by then either. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 60, LONG = 512 * 1024, SHORT = 16 };

static char buffer[LONG];

/* One clock for all ranks of the host, which MPI_Wtime need not be. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void work(double seconds)
{
    const double until = now() + seconds;
    while (now() < until) {
    }
}

static void sends(int is_exchange, int size, double *began, double *ended)
{
    MPI_Status status;
    *began = now();
    if (is_exchange)
        MPI_Sendrecv(buffer, size, MPI_CHAR, 1, 7, NULL, 0, MPI_CHAR, MPI_PROC_NULL, 7,
                     MPI_COMM_WORLD, &status);
    else
        MPI_Send(buffer, size, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    *ended = now();
}

static void receives(int is_exchange, int looks, int size, double *posted, double *came)
{
    MPI_Request request;
    MPI_Status status;
    *posted = now();
    if (!is_exchange)
        MPI_Irecv(buffer, size, MPI_CHAR, 0, 7, MPI_COMM_WORLD, &request);
    work(3e-3);
    *came = now();
    if (is_exchange)
        *posted = *came;
    if (looks) {
        int found;
        for (int times = 0; times < 5; times++)
            MPI_Iprobe(0, 8, MPI_COMM_WORLD, &found, &status);
        work(5e-4);
    }
    if (is_exchange)
        MPI_Sendrecv(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 7, buffer, size, MPI_CHAR, 0, 7,
                     MPI_COMM_WORLD, &status);
    else
        MPI_Wait(&request, &status);
}

int main(int argc, char **argv)
{
    const int is_exchange = argc > 1 && !strcmp(argv[1], "exchange"),
              size = argc > 1 && !strcmp(argv[1], "short") ? SHORT : LONG,
              looks = argc > 1 && !strcmp(argv[1], "between");
    double began[ROUNDS], ended[ROUNDS], posted[ROUNDS], came[ROUNDS], blocked = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            work(2e-4); /* the receive is posted by then */
        if (rank == 0)
            sends(is_exchange, size, &began[round], &ended[round]);
        else if (rank == 1)
            receives(is_exchange, looks, size, &posted[round], &came[round]);
    }
    if (rank == 1) {
        MPI_Send(posted, ROUNDS, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
        MPI_Send(came, ROUNDS, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        MPI_Recv(posted, ROUNDS, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(came, ROUNDS, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int round = 0; round < ROUNDS; round++) {
            const double until = ended[round] >= came[round]     ? came[round]
                                 : ended[round] >= posted[round] ? posted[round]
                                                                 : 0;
            blocked += until > began[round] ? until - began[round] : 0;
        }
        printf("%.9f\n", blocked);
    }
    MPI_Finalize();
    return 0;
}
