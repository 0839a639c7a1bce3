/* Traffic between hosts that a test can count by hand.
 *
 *     traffic STEPS PAUSE_MICROSECONDS [SLOW_HOST FACTOR] [kill RANK]
 *
 * Each rank prints "RANK HOST". In every step each rank pauses (FACTOR times as long on SLOW_HOST),
 * then the world meets.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NEAR_BYTES = 100, FAR_BYTES = 3000, ROUNDS = 10, LARGE = 65536, BLOCK = 24 };

static char out[LARGE], in[LARGE];
static int rank, size;

static void pause_for(long microseconds)
{
    struct timespec left = { microseconds / 1000000, microseconds % 1000000 * 1000 };
    while (nanosleep(&left, &left)) {
    }
}

/* To the next rank and from the one before, in world: near or far, as the hosts lie. */
static void ring(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv(out, NEAR_BYTES, MPI_BYTE, next, 1, in, NEAR_BYTES, MPI_BYTE, before, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* To the rank half a world away: of two equal hosts the other one. One message is large enough for
 * a rendezvous. */
static void across(void)
{
    int peer = (rank + size / 2) % size;
    MPI_Request requests[2];
    for (int i = 0; i <= ROUNDS; i++) {
        int bytes = i < ROUNDS ? FAR_BYTES : LARGE;
        MPI_Irecv(in, bytes, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, bytes, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

/* One communicator a host, and one with one rank of each host. */
static void by_host(void)
{
    MPI_Comm host, leaders;
    int local;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_set_name(host, "host");
    MPI_Comm_rank(host, &local);
    MPI_Comm_split(MPI_COMM_WORLD, local, rank, &leaders);
    MPI_Comm_set_name(leaders, "leaders");
    for (int i = 0; i < 7; i++)
        MPI_Allreduce(MPI_IN_PLACE, in, 8, MPI_DOUBLE, MPI_MAX, host);
    for (int i = 0; i < 3; i++)
        MPI_Bcast(in, 1024, MPI_BYTE, 0, leaders);
    MPI_Comm_free(&leaders);
    MPI_Comm_free(&host);
}

/* Each rank's neighbours in a ring: on two hosts some edges cross. */
static void neighbours(void)
{
    MPI_Comm grid;
    int dims[1] = { size }, periods[1] = { 1 };
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
    MPI_Comm_set_name(grid, "grid");
    for (int i = 0; i < 5; i++)
        MPI_Neighbor_allgather(out, BLOCK, MPI_BYTE, in, BLOCK, MPI_BYTE, grid);
    MPI_Comm_free(&grid);
}

int main(int argc, char **argv)
{
    char host[MPI_MAX_PROCESSOR_NAME], everyone[64][MPI_MAX_PROCESSOR_NAME];
    int length, steps = atoi(argv[1]);
    long pause = atol(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(host, 0, sizeof host);
    MPI_Get_processor_name(host, &length);
    MPI_Gather(host, sizeof host, MPI_BYTE, everyone, sizeof host, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!rank)
        for (int i = 0; i < size; i++)
            printf("%d %s\n", i, everyone[i]);
    fflush(stdout);
    if (argc > 4 && !strcmp(argv[3], host))
        pause *= atol(argv[4]);
    ring();
    across();
    by_host();
    neighbours();
    for (int step = 0; step < steps; step++) {
        pause_for(pause);
        if (argc > 4 && !strcmp(argv[3], "kill") && step == 1 && rank == atoi(argv[4]))
            raise(SIGKILL);
        MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
