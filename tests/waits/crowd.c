/* Many communicators, and a wait on each that is known: rank 0 comes 100 us late to one reduction
 * on every communicator. "living": all of them live at once; "freed": each is freed before the next
 * is made; "lists": in turn of other members each, all living.
 *
 * Usage: crowd HOW COMMUNICATORS      output: "wait SECONDS made N", of all ranks in the reductions
 * by their own clocks */
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
    for (const double end = now() + seconds; now() < end;)
        ;
}

static unsigned hash(unsigned value)
{
    value = (value ^ value >> 16) * 0x45d9f3bu;
    value = (value ^ value >> 16) * 0x45d9f3bu;
    return value ^ value >> 16;
}

/* "lists": the order of ranks differs from one to the next, as far as there are orders. */
static MPI_Comm make(const char *how, long k)
{
    MPI_Comm made;
    if (strcmp(how, "lists"))
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
    else
        MPI_Comm_split(MPI_COMM_WORLD, 0, (int)(hash((unsigned)(k * size + rank)) >> 8), &made);
    return made;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *how = argv[argc - 2];
    const long count = atol(argv[argc - 1]);
    const int freed = !strcmp(how, "freed");
    MPI_Comm *all = malloc((size_t)count * sizeof *all);
    double *times = malloc(2 * (size_t)count * sizeof *times),
           *late = malloc((size_t)count * sizeof *late), one = 1, sum, wait = 0, waits;
    for (long k = 0; k < count; k++) {
        all[k] = make(how, k);
        compute(rank ? 0 : 100e-6);
        times[2 * k] = now();
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, all[k]);
        times[2 * k + 1] = now();
        if (freed)
            MPI_Comm_free(&all[k]);
    }
    for (long k = 0; k < count; k++)
        late[k] = times[2 * k];
    MPI_Allreduce(MPI_IN_PLACE, late, (int)count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (long k = 0; k < count; k++)
        wait += (late[k] < times[2 * k + 1] ? late[k] : times[2 * k + 1]) - times[2 * k];
    MPI_Reduce(&wait, &waits, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("wait %.9f made %ld\n", waits, count);
    for (long k = 0; k < count && !freed; k++)
        MPI_Comm_free(&all[k]);
    free(all);
    free(times);
    free(late);
    MPI_Finalize();
    return 0;
}
