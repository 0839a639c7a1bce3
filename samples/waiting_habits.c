/* Faults, chosen by the second argument:
 *
 * - first: the last rank comes 0.8 s late to the first sum: first-call-takes-longest,
 *   collectives-mostly-wait
 * - later: the last rank gets more of the work in the second half: uneven-later
 * - drifting: the last rank has most of the work in the first and third quarter, rank 0 in the
 *   others: drifting-imbalance
 * - phases: rank 0 has most of the work before one sum, the last rank before the next, of another
 *   size: uneven-phases
 * - moving: blocks of 1 MiB are exchanged all the time: moving-dominates
 * - broadcast: blocks of 1 MiB are broadcast all the time: large-broadcasts
 * - warmup: in the first third the last rank is late in each step: warm-up
 * - overlap: a sum of 1 MiB is started, and nobody looks after it while the work is done:
 *   nonblocking-collectives-without-progress
 * - buffered: messages of 64 KiB go through the buffer of the program: buffered-sends
 *
 * Cured by -DCURED: the work is even; blocks are exchanged, or broadcast, in every 101st step; the
 * work is done in pieces with MPI_Test between; MPI_Sendrecv.
 *
 * Usage: mpirun -np 2 ./waiting_habits [steps] [pattern]     The work is done asleep. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS  211
#define COUNT  (1 << 17) /* doubles: 1 MiB */
#define PIECES 20
#define SMALL  8192 /* doubles: 64 KiB */
#ifdef CURED
#define CURE 1
#else
#define CURE 0
#endif

static double *mine, *theirs;
static int rank, size, steps;

static void work(double seconds)
{
    struct timespec left = { (time_t)seconds, (long)((seconds - (long)seconds) * 1e9) };
    while (nanosleep(&left, &left) != 0) {
    }
}

static void sum_after(double seconds)
{
    work(seconds);
    MPI_Allreduce(mine, theirs, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int late(void)
{
    return !CURE && rank == size - 1;
}

static void first(int step)
{
    sum_after(step == 0 && late() ? 0.8 : 0.002);
}

static void later(int step)
{
    sum_after(step >= steps / 2 && late() ? 0.02 : 0.005);
}

static void warmup(int step)
{
    sum_after(step < steps / 3 && late() ? 0.02 : 0.005);
}

static void drifting(int step)
{
    int busy = step * 4 / steps % 2 == 0 ? size - 1 : 0;

    sum_after(!CURE && rank == busy ? 0.01 : 0.003);
}

static void phases(int step)
{
    (void)step;
    sum_after(!CURE && rank == 0 ? 0.008 : 0.003);
    work(!CURE && rank == size - 1 ? 0.008 : 0.003);
    MPI_Allreduce(mine, theirs, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void moving(int step)
{
    if (!CURE || step % 101 == 0) {
        MPI_Sendrecv(mine, COUNT, MPI_DOUBLE, rank ^ 1, 0, theirs, COUNT, MPI_DOUBLE, rank ^ 1, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        work(0.001);
    }
}

static void broadcast(int step)
{
    if (!CURE || step % 101 == 0) {
        MPI_Bcast(mine, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    } else {
        work(0.001);
    }
}

static void overlap(int step)
{
    MPI_Request request;
    int done;

    (void)step;
    MPI_Iallreduce(mine, theirs, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    for (int piece = 0; piece < PIECES; piece++) {
        work(0.002 / PIECES);
        if (CURE) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void buffered(int step)
{
    (void)step;
    if (CURE) {
        MPI_Sendrecv(mine, SMALL, MPI_DOUBLE, rank ^ 1, 0, theirs, SMALL, MPI_DOUBLE, rank ^ 1, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Bsend(mine, SMALL, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
    MPI_Recv(theirs, SMALL, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *pattern = argc > 2 ? argv[2] : "first";
    struct {
        const char *name;
        void (*step)(int);
    } patterns[] = { { "first", first },       { "later", later },       { "warmup", warmup },
                     { "drifting", drifting }, { "moving", moving },     { "broadcast", broadcast },
                     { "overlap", overlap },   { "buffered", buffered }, { "phases", phases } };
    int room = 16 * (SMALL * sizeof(double) + MPI_BSEND_OVERHEAD);
    char *buffer = malloc(room);

    steps = argc > 1 ? atoi(argv[1]) : STEPS;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = calloc(COUNT, sizeof *mine);
    theirs = calloc(COUNT, sizeof *theirs);
    MPI_Buffer_attach(buffer, room);
    for (size_t which = 0; which < sizeof patterns / sizeof *patterns; which++) {
        for (int step = 0; step < steps && !strcmp(pattern, patterns[which].name); step++) {
            patterns[which].step(step);
        }
    }
    MPI_Buffer_detach(&buffer, &room);
    if (rank == 0) {
        printf("%d steps of %s\n", steps, pattern);
    }
    free(buffer);
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
