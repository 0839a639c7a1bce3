/* Faults that take several hosts, chosen by the second argument; half of the ranks lie on each of
 * two hosts: cross    messages of 64 KiB go to the rank across, not to the neighbour:
 * rank-order-off-host pairs    blocking messages with all other ranks, one after the other:
 * blocking-exchange puts     one-sided copies to the rank across: ucx-one-sided, emulated-one-sided
 * (Open MPI 4) overlap  blocks of 1 MiB travel while nobody looks after them:
 * nonblocking-without-progress turns    in each step another rank is late: late-in-turns late the
 * last rank is busy inside MPI and late for that: one-late-rank idle     only rank 0 and 1 have
 * work: ranks-without-work slow     the last rank has three times the work: slow-host (one rank a
 * host) sums     sums of 1 MiB: two-level-of-open-mpi (Open MPI 5), reductions-in-pieces
 * (OMP_NUM_THREADS=2) Cured by -DCURED: the neighbour; all at once; messages; MPI_Test between
 * pieces of work; nobody late; work for all; one sum at the start.
 *
 * Usage: mpirun -np 4 --host a:2,b:2 ./between_hosts [steps] [pattern]     The work is done asleep.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS 211
#define COUNT (1 << 17) /* doubles: 1 MiB */
#define SHORT (1 << 13) /* doubles: 64 KiB */
#ifdef CURED
#define CURE 1
#else
#define CURE 0
#endif

static double *mine, *theirs;
static MPI_Win window;
static int rank, size;

static void work(double seconds)
{
    struct timespec left = { (time_t)seconds, (long)((seconds - (long)seconds) * 1e9) };
    while (nanosleep(&left, &left) != 0) {
    }
}

static int across(void)
{
    return (rank + size / 2) % size;
}

static void agree(void)
{
    MPI_Allreduce(mine, theirs, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void swap(int partner, int count)
{
    MPI_Sendrecv(mine, count, MPI_DOUBLE, partner, 0, theirs, count, MPI_DOUBLE, partner, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void cross(int step)
{
    (void)step;
    swap(CURE ? rank ^ 1 : across(), SHORT);
}

static void pairs(int step)
{
    MPI_Request requests[2];
    (void)step;
    for (int distance = 1; distance < size; distance++) {
        int to = (rank + distance) % size, from = (rank + size - distance) % size;
        if (!CURE) {
            MPI_Sendrecv(mine, 128, MPI_DOUBLE, to, 0, theirs, 128, MPI_DOUBLE, from, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Irecv(theirs, 128, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(mine, 128, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void puts_across(int step)
{
    (void)step;
    if (CURE) {
        swap(across(), SHORT);
        return;
    }
    MPI_Put(mine, SHORT, MPI_DOUBLE, across(), 0, SHORT, MPI_DOUBLE, window);
    MPI_Win_flush(across(), window);
}

static void overlap(int step)
{
    MPI_Request requests[2];
    int done;

    (void)step;
    MPI_Irecv(theirs, COUNT, MPI_DOUBLE, across(), 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(mine, COUNT, MPI_DOUBLE, across(), 0, MPI_COMM_WORLD, &requests[1]);
    for (int piece = 0; piece < 20; piece++) {
        work(0.0002);
        if (CURE) {
            MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
        }
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void turns(int step)
{
    work(!CURE && step % size == rank ? 0.02 : 0.01);
    agree();
}

static void late(int step)
{
    (void)step;
    work(0.01);
    for (int again = 0; again < 300 && !CURE && rank == size - 1; again++) {
        swap(rank, COUNT);
    }
    agree();
}

static void idle(int step)
{
    (void)step;
    if (CURE || rank < 2) {
        work(0.02);
    }
    agree();
}

static void slow(int step)
{
    (void)step;
    work(!CURE && rank == size - 1 ? 0.015 : 0.005);
    agree();
}

static void sums(int step)
{
    if (!CURE || step == 0) {
        MPI_Allreduce(mine, theirs, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else {
        work(0.03);
    }
}

/* A window only where it is used: Open MPI 4 of some systems has no component for windows between
 * hosts without OMPI_MCA_osc=pt2pt. */
static void begin(int with_window)
{
    if (!with_window) {
        theirs = calloc(COUNT, sizeof *theirs);
        return;
    }
    MPI_Win_allocate(COUNT * sizeof *theirs, sizeof *theirs, MPI_INFO_NULL, MPI_COMM_WORLD, &theirs,
                     &window);
    MPI_Win_lock_all(0, window);
}

static void end(int with_window)
{
    if (!with_window) {
        free(theirs);
        return;
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    const char *pattern = argc > 2 ? argv[2] : "cross";
    struct {
        const char *name;
        void (*step)(int);
    } patterns[] = { { "cross", cross },     { "pairs", pairs }, { "puts", puts_across },
                     { "overlap", overlap }, { "turns", turns }, { "late", late },
                     { "idle", idle },       { "slow", slow },   { "sums", sums } };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = calloc(COUNT, sizeof *mine);
    begin(!strcmp(pattern, "puts"));
    for (size_t which = 0; which < sizeof patterns / sizeof *patterns; which++) {
        for (int step = 0; step < steps && !strcmp(pattern, patterns[which].name); step++) {
            patterns[which].step(step);
        }
    }
    end(!strcmp(pattern, "puts"));
    if (rank == 0) {
        printf("%d steps of %s\n", steps, pattern);
    }
    free(mine);
    MPI_Finalize();
    return 0;
}
