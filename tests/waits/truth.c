/* Waits that are known: each rank computes for a time of its own before a collective call, and keeps entry and exit of every call by
 * the program's own clock. Prints, for each pattern, the true wait of all ranks in that call.
 *
 * Usage: truth PATTERN OPERATION INSTANCES      output: "wait SECONDS time SECONDS" */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void compute(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        ;
}

static unsigned hash(unsigned value)
{
    value = (value ^ value >> 16) * 0x45d9f3bu;
    value = (value ^ value >> 16) * 0x45d9f3bu;
    return value ^ value >> 16;
}

/* Microseconds that this rank computes before instance k. */
static double work(const char *pattern, long k, long instances)
{
    if (!strcmp(pattern, "linear"))
        return 10 + 20.0 * rank;
    if (!strcmp(pattern, "random"))
        return 10 + hash((unsigned)(k * size + rank)) % 100;
    if (!strncmp(pattern, "every", 5))
        return 10 + (rank == 1 && k % atol(pattern + 5) == 0 ? 200 : 0);
    if (!strcmp(pattern, "once"))
        return 10 + (rank == size - 1 && k == instances / 3 ? 200000 : 0);
    if (!strcmp(pattern, "bursts"))
        return 10 + (rank == 0 && k / 50 % 20 == 7 ? 1000 : 0);
    if (!strcmp(pattern, "drift"))
        return 10 + (rank == 0 ? 100.0 * (double)k / (double)instances : 0);
    return 10;
}

static void call(const char *operation, long k)
{
    double in = rank, out;
    static double all_in[64], all_out[64];
    if (!strcmp(operation, "Allreduce"))
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(operation, "Barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    else if (!strcmp(operation, "Bcast"))
        MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (!strcmp(operation, "Reduce"))
        MPI_Reduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, (int)(k % size), MPI_COMM_WORLD);
    else if (!strcmp(operation, "Alltoall"))
        MPI_Alltoall(all_in, 1, MPI_DOUBLE, all_out, 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

/* METRICS 3.3 */
static double waited(const char *operation, long k, const double *enter, const double *exit)
{
    int root = strcmp(operation, "Reduce") ? 0 : (int)(k % size);
    double last = enter[0], sum = 0;
    for (int i = 1; i < size; i++)
        last = most(last, enter[i]);
    if (!strcmp(operation, "Bcast"))
        last = enter[0];
    for (int i = 0; i < size; i++)
        if (strcmp(operation, "Reduce") || i == root)
            sum += most(0, least(last - enter[i], exit[i] - enter[i]));
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *pattern = argv[1], *operation = argv[2];
    long instances = atol(argv[3]);
    double *times = malloc(2 * (size_t)instances * sizeof *times), *all = malloc(2 * (size_t)size * (size_t)instances * sizeof *all);
    for (long k = 0; k < instances; k++) {
        compute(1e-6 * work(pattern, k, instances));
        times[2 * k] = now();
        call(operation, k);
        times[2 * k + 1] = now();
    }
    MPI_Gather(times, 2 * (int)instances, MPI_DOUBLE, all, 2 * (int)instances, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    double wait = 0, total = 0, enter[64], exit[64];
    for (long k = 0; rank == 0 && k < instances; k++) {
        for (int i = 0; i < size; i++) {
            enter[i] = all[2 * ((long)i * instances + k)];
            exit[i] = all[2 * ((long)i * instances + k) + 1];
            total += exit[i] - enter[i];
        }
        wait += waited(operation, k, enter, exit);
    }
    if (rank == 0)
        printf("wait %.9f time %.9f\n", wait, total);
    free(times);
    free(all);
    MPI_Finalize();
    return 0;
}
