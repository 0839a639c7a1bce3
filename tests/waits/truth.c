/* Waits that are known: each rank computes for a time of its own before a collective call, and
 * keeps entry and exit of every call by the program's own clock. Prints, for each pattern, the true
 * wait of all ranks in that call.
 *
 * Usage: truth PATTERN OPERATION INSTANCES      output: "wait SECONDS time SECONDS stalled SECONDS
 * lasted SECONDS"; stalled: stalls.h; lasted: all instances */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static int bent;

/* Where a test bends the clock of the C library, the kernel's own: it takes ten times as long. */
static double now(void)
{
    struct timespec time;
    if (bent)
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    else
        clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#include "stalls.h"

static unsigned hash(unsigned value)
{
    value = (value ^ value >> 16) * 0x45d9f3bu;
    value = (value ^ value >> 16) * 0x45d9f3bu;
    return value ^ value >> 16;
}

/* Microseconds of each delay of one rank. "long": as much as makes 10 a call of the other rank,
 * however seldom: more than what clocks differ by. */
static double delay(const char *pattern)
{
    return strstr(pattern, "long") ? 10.0 * (double)atol(pattern + 5) : 200;
}

/* Microseconds that this rank computes before instance k. */
static double work(const char *pattern, long k, long instances)
{
    if (!strcmp(pattern, "linear"))
        return 10 + 20.0 * rank;
    if (!strcmp(pattern, "random"))
        return 10 + hash((unsigned)(k * size + rank)) % 100;
    if (!strcmp(pattern, "long"))
        return 10 + hash((unsigned)(k * size + rank)) % 5000;
    if (!strncmp(pattern, "every", 5))
        return 10 + (rank == 1 && k % atol(pattern + 5) == 0 ? delay(pattern) : 0);
    if (!strcmp(pattern, "once"))
        return 10 + (rank == size - 1 && k == instances / 3 ? 200000 : 0);
    if (!strcmp(pattern, "bursts"))
        return 10 + (rank == 0 && k / 50 % 20 == 7 ? 1000 : 0);
    if (!strcmp(pattern, "drift"))
        return 10 + (rank == 0 ? 100.0 * (double)k / (double)instances : 0);
    return 10;
}

static MPI_Comm pair = MPI_COMM_NULL; /* of two ranks, or three where they are odd in number, made
                                         anew every ten instances */

/* Ranks with the same remainder are a pair. */
static int pairs(void)
{
    return size > 3 ? size / 2 : 1;
}

static MPI_Win windows[2] = { MPI_WIN_NULL,
                              MPI_WIN_NULL }; /* of the same members, fenced in turn */

static void collective(const char *operation, long k)
{
    double in = rank, out;
    static double all_in[64], all_out[64];
    if (!strcmp(operation, "Allreduce"))
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(operation, "Barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    else if (!strcmp(operation, "Bcast"))
        MPI_Bcast(&in, 1, MPI_DOUBLE, (int)(k % size),
                  MPI_COMM_WORLD); /* in turn: a root that never waits runs ahead of all, and then
                                      nobody does */
    else if (!strcmp(operation, "Reduce"))
        MPI_Reduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, (int)(k % size), MPI_COMM_WORLD);
    else if (!strcmp(operation, "Alltoall"))
        MPI_Alltoall(all_in, 1, MPI_DOUBLE, all_out, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    else if (!strcmp(operation, "Win_fence"))
        MPI_Win_fence(0, windows[k % 2]);
    else if (!strcmp(operation, "Allgather")) /* on communicators that come and go */
        MPI_Allgather(&in, 1, MPI_DOUBLE, all_out, 1, MPI_DOUBLE, pair);
}

static double posted; /* when a nonblocking collective operation was */

static void before(const char *operation, long k, MPI_Request *requests, double *buffer)
{
    static double memory[2];
    const int left = (rank + size - 1) % size;
    if (!strcmp(operation, "Waitall"))
        MPI_Irecv(buffer, 1, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &requests[0]);
    else if (!strcmp(operation, "Wait") && (posted = now()) > 0)
        MPI_Iallreduce(buffer, buffer + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    else if (!strcmp(operation, "Win_fence"))
        for (int i = 0; k == 0 && i < 2; i++)
            MPI_Win_create(&memory[i], sizeof *memory, sizeof *memory, MPI_INFO_NULL,
                           MPI_COMM_WORLD, &windows[i]);
    else if (!strcmp(operation, "Allgather") && k % 10 == 0) {
        if (pair != MPI_COMM_NULL)
            MPI_Comm_free(&pair);
        MPI_Comm_split(MPI_COMM_WORLD, rank % pairs(), rank, &pair);
    }
}

/* Times: when others can see that this rank has come, entry and exit of the call that may wait. */
static void call(const char *operation, long k, double times[3], MPI_Request *requests,
                 double *buffer)
{
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    times[0] = times[1] = now();
    if (!strcmp(operation, "Wait"))
        times[0] = posted;
    if (!strcmp(operation, "Recv")) {
        if ((rank + k) % 2)
            MPI_Send(buffer, 1, MPI_DOUBLE, rank ^ 1, 5, MPI_COMM_WORLD);
        else
            MPI_Recv(buffer, 1, MPI_DOUBLE, rank ^ 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(operation, "Sendrecv")) {
        MPI_Sendrecv(buffer, 1, MPI_DOUBLE, right, 7, buffer + 1, 1, MPI_DOUBLE, left, 7,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(operation, "Waitall")) {
        MPI_Isend(buffer + 1, 1, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &requests[1]);
        times[1] = now();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (!strcmp(operation, "Wait")) {
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else {
        collective(operation, k);
    }
    times[2] = now();
}

static double least(double a, double b)
{
    return a < b ? a : b;
}
static double most(double a, double b)
{
    return a > b ? a : b;
}

/* For whom rank i waits in instance k: METRICS 3.3. Returns when the last of them came. */
static double awaited(const char *operation, int i, long k, double times[][3])
{
    double last = 0;
    int root = (int)(k % size);
    if (!strcmp(operation, "Recv"))
        return (i + k) % 2 ? 0 : times[i ^ 1][0];
    if (!strcmp(operation, "Sendrecv") || !strcmp(operation, "Waitall"))
        return times[(i + size - 1) % size][0];
    if (!strcmp(operation, "Bcast"))
        return times[root][0];
    if (!strcmp(operation, "Reduce") && i != root)
        return 0;
    for (int j = 0; j < size; j++)
        if (strcmp(operation, "Allgather") || j % pairs() == i % pairs())
            last = most(last, times[j][0]);
    return last;
}

static double waited(const char *operation, long k, double times[][3])
{
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += most(
            0, least(awaited(operation, i, k, times) - times[i][1], times[i][2] - times[i][1]));
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *pattern = argv[argc - 3], *operation = argv[argc - 2];
    const long instances = atol(argv[argc - 1]);
    bent = !strcmp(pattern, "long");
    double (*times)[3] = malloc((size_t)instances * sizeof *times),
           (*all)[3] = malloc((size_t)(size * instances) * sizeof *all);
    double buffer[2] = { 0, 0 }, wait = 0, total = 0, in_calls = 0, one[64][3];
    MPI_Request requests[2];
    for (long k = 0; k < instances; k++) {
        before(operation, k, requests, buffer);
        compute(1e-6 * work(pattern, k, instances));
        call(operation, k, times[k], requests, buffer);
    }
    MPI_Gather(times, 3 * (int)instances, MPI_DOUBLE, all, 3 * (int)instances, MPI_DOUBLE, 0,
               MPI_COMM_WORLD);
    for (long k = 0; rank == 0 && k < instances; k++) {
        for (int i = 0; i < size; i++) {
            memcpy(one[i], all[i * instances + k], sizeof one[i]);
            total += one[i][2] - one[i][1];
        }
        wait += waited(operation, k, one);
        for (int i = 0; i < size; i++)
            in_calls += stall_in(most(awaited(operation, i, k, one), one[i][1]), one[i][2]);
    }
    const double stalled = in_calls + stalls_of_all(rank, size);
    if (rank == 0)
        printf("wait %.9f time %.9f stalled %.6f lasted %.6f\n", wait, total, stalled,
               times[instances - 1][2] - times[0][1]);
    if (pair != MPI_COMM_NULL)
        MPI_Comm_free(&pair);
    for (int i = 0; i < 2; i++)
        if (windows[i] != MPI_WIN_NULL)
            MPI_Win_free(&windows[i]);
    free(times);
    free(all);
    MPI_Finalize();
    return 0;
}
