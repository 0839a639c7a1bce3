/* Waits of which it is known what computing before the calls explains. Each rank keeps its times by
 * the program's own clock.
 *
 * skew, made, mixed: all ranks reduce by an operation of their own, in a row. With `skew` the last
 * rank computes before each; with `made` it computes within, and so leaves late; with `mixed` both,
 * in turns of three. paced: rank 0 computes before each message to rank 1, which waits for it. two:
 * rank 0 computes, then sends to rank 1, then to the last: that one waits for computing, though the
 * sender came straight from a send. other: a reduction that the last rank leaves late, then a
 * barrier; in every third turn it computes between the two. fresh: the same on a communicator that
 * is made for one reduction. chain: each hands on what it got. lower: rank 0 computes, then a
 * broadcast, then a barrier. halves: of two groups one computes, then each reduces, then all do.
 * Usage: propagated WHAT INSTANCES      output: "wait SECONDS propagated SECONDS" of all ranks in
 * the calls whose one before is known; two, chain, lower and halves have none */
#define _GNU_SOURCE
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MICROSECONDS = 300 };
enum { GAP, ENTER, EXIT, TIMES };

static int rank, size, within;
static double left_at, in, out;
static MPI_Op slow;
static MPI_Comm half;

static double now(void)
{
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void compute(int microseconds)
{
    for (double end = now() + 1e-6 * microseconds; now() < end;)
        ;
}

static void add(void *from, void *to, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((double *)to)[i] += ((double *)from)[i];
    compute(rank == size - 1 ? within : 0);
}

static void enter(double *times)
{
    times[ENTER] = now();
    times[GAP] = times[ENTER] - left_at;
}

static void leave(double *times)
{
    left_at = times[EXIT] = now();
}

static void reduce(const char *what, long k, double *times)
{
    const int made = !strcmp(what, "made") || (!strcmp(what, "mixed") && k % 3);
    within = made ? MICROSECONDS : 0;
    if (rank == size - 1 && (!made || !strcmp(what, "mixed")))
        compute(MICROSECONDS / (made ? 2 : 1));
    enter(times);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, slow, MPI_COMM_WORLD);
    leave(times);
}

/* Both times the last rank computes longer between the two calls in every third turn. */
static void between(long k, double *times)
{
    double before[TIMES];
    leave(before);
    compute(rank == size - 1 && k % 3 == 0 ? MICROSECONDS / 2 : 0);
    enter(times);
}

static void other(long k, double *times)
{
    within = MICROSECONDS;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, slow, MPI_COMM_WORLD);
    between(k, times);
    MPI_Barrier(MPI_COMM_WORLD);
    leave(times);
}

static void fresh(long k, double *times)
{
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    between(k, times);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, made);
    leave(times);
    MPI_Comm_free(&made);
}

static void paced(double *times)
{
    if (rank == 0)
        compute(MICROSECONDS);
    enter(times);
    if (rank == 0)
        MPI_Send(&out, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(&in, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    leave(times);
}

static void two(void)
{
    if (rank == 0) {
        compute(MICROSECONDS);
        MPI_Send(&out, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
        MPI_Send(&out, 1, MPI_DOUBLE, size - 1, 3, MPI_COMM_WORLD);
    } else if (rank == 1 || rank == size - 1) {
        MPI_Recv(&in, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void chain(void)
{
    if (rank)
        MPI_Recv(&in, 1, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        compute(MICROSECONDS);
    if (rank < size - 1)
        MPI_Send(&out, 1, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD);
}

static void lower(void)
{
    if (rank == 0)
        compute(MICROSECONDS);
    MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void halves(void)
{
    if (rank == 0)
        compute(MICROSECONDS);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, half);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* A sender may run ahead of a receiver that has no core: every tenth time they meet, and what was
 * before is another call. */
static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    left_at = -INFINITY;
}

static void turn(const char *what, long k, double *times)
{
    if (k % 10 == 0 && (!strcmp(what, "paced") || !strcmp(what, "two") || !strcmp(what, "chain")))
        meet();
    if (!strcmp(what, "paced"))
        paced(times);
    else if (!strcmp(what, "other"))
        other(k, times);
    else if (!strcmp(what, "fresh"))
        fresh(k, times);
    else if (!strcmp(what, "two"))
        two();
    else if (!strcmp(what, "chain"))
        chain();
    else if (!strcmp(what, "lower"))
        lower();
    else if (!strcmp(what, "halves"))
        halves();
    else
        reduce(what, k, times);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}
static double most(double a, double b)
{
    return a > b ? a : b;
}

/* What rank i waited in one instance, and, added to `propagated`, what it would not have without
 * the time between the calls. */
static double waited(const char *what, int i, double times[][TIMES], double *propagated)
{
    const int message = !strcmp(what, "paced"), others = message ? 1 : size;
    double late = 0, gap = message ? times[i][GAP] : 0;
    for (int j = 0; j < others; j++) {
        late = most(late, times[j][ENTER]);
        gap = most(gap, times[j][GAP]);
    }
    const double wait = most(0, least(late - times[i][ENTER], times[i][EXIT] - times[i][ENTER])),
                 more = wait - (gap - times[i][GAP]);
    *propagated += isinf(gap) ? 0 : message ? most(0, more) : more;
    return wait;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(add, 1, &slow);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
    const char *what = argv[argc - 2];
    const long instances = atol(argv[argc - 1]);
    double (*times)[TIMES] = calloc((size_t)instances, sizeof *times),
           (*all)[TIMES] = calloc((size_t)(size * instances), sizeof *all), one[64][TIMES],
           parts[64] = { 0 }, wait = 0, propagated = 0;
    for (long k = 0; k < instances; k++)
        turn(what, k, times[k]);
    MPI_Gather(times, TIMES * (int)instances, MPI_DOUBLE, all, TIMES * (int)instances, MPI_DOUBLE,
               0, MPI_COMM_WORLD);
    for (long k = 1; rank == 0 && k < instances; k++) {
        for (int i = 0; i < size; i++)
            memcpy(one[i], all[i * instances + k], sizeof one[i]);
        for (int i = !strcmp(what, "paced"); i < size; i++)
            wait += waited(what, i, one, &parts[i]);
    }
    for (int i = 0; i < size; i++)
        propagated += most(0, parts[i]);
    if (rank == 0)
        printf("wait %.9f propagated %.9f\n", wait, propagated);
    MPI_Comm_free(&half);
    MPI_Op_free(&slow);
    MPI_Finalize();
    return 0;
}
