/* Receives of which few are long, and known: rank 0 sends and rank 1 receives, INSTANCES times.
 * Every EVERY messages one of them stands still for 15 ms: "late": the sender, before it sends, so
 * that the receiver waits; "away": the receiver, before it receives, so that nobody waits.
 *
 * Usage: rare HOW CALL EVERY INSTANCES      output: "wait SECONDS time SECONDS long N", of the
 * receiver; long: calls of 10 ms or more */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank;
static const double STALL = 15e-3, LONG = 10e-3;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void stand_still(void)
{
    const struct timespec length = { 0, (long)(1e9 * STALL) };
    nanosleep(&length, NULL);
}

/* A receive that was posted before: the sender's time is that of its MPI_Isend. In MPI_Waitall both
 * ranks also complete what they sent. */
static void complete(const char *operation, double *begin, double *end)
{
    double buffer[2] = { 1, 2 };
    MPI_Request requests[2];
    const int other = 1 - rank, both = !strcmp(operation, "Waitall");
    int count = 0;
    if (both || rank)
        MPI_Irecv(buffer + 1, 1, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, &requests[count++]);
    const double sent = now();
    if (both || !rank)
        MPI_Isend(buffer, 1, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, &requests[count++]);
    *begin = rank ? now() : sent;
    if (both)
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    else
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    *end = now();
}

/* When it began, and when it was over. */
static void call(const char *operation, double *begin, double *end)
{
    double buffer[2] = { 1, 2 };
    const int other = 1 - rank;
    if (!strncmp(operation, "Wait", 4)) {
        complete(operation, begin, end);
        return;
    }
    *begin = now();
    if (!strcmp(operation, "Sendrecv"))
        MPI_Sendrecv(buffer, 1, MPI_DOUBLE, other, 3, buffer + 1, 1, MPI_DOUBLE, other, 3,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (!rank)
        MPI_Send(buffer, 1, MPI_DOUBLE, other, 3, MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, 1, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *end = now();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *how = argv[argc - 4], *operation = argv[argc - 3];
    const long every = atol(argv[argc - 2]), instances = atol(argv[argc - 1]);
    double *begun = malloc((size_t)instances * sizeof *begun),
           *sent = malloc((size_t)instances * sizeof *sent),
           *over = malloc((size_t)instances * sizeof *over);
    double wait = 0, time = 0, lasted;
    long calls = 0;
    for (long k = 0; k < instances; k++) {
        if (k % every == every - 1 && rank == !!strcmp(how, "late"))
            stand_still();
        call(operation, &begun[k], &over[k]);
    }
    if (!rank)
        MPI_Send(begun, (int)instances, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD);
    else
        MPI_Recv(sent, (int)instances, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long k = 0; rank && k < instances; k++) {
        time += lasted = over[k] - begun[k];
        wait += sent[k] <= begun[k] ? 0 : sent[k] < over[k] ? sent[k] - begun[k] : lasted;
        calls += lasted >= LONG;
    }
    if (rank)
        printf("wait %.9f time %.9f long %ld\n", wait, time, calls);
    free(begun);
    free(sent);
    free(over);
    MPI_Finalize();
    return 0;
}
