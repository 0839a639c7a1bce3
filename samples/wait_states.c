/* Wait states, chosen by the second argument. All ranks work equally long over the run, but in
 * turns, so that the others wait at: receive     MPI_Recv of a message whose sender works first:
 * late-sender send        MPI_Send of 1 MiB whose receiver works first: late-receiver completion
 * MPI_Waitall on messages whose sender works first: late-in-completion broadcast   MPI_Bcast whose
 * root works first: late-broadcast reduction   MPI_Reduce, of which only the root does not work
 * first: early-reduce sum         MPI_Allreduce before which one rank works: wait-at-collective all
 * one after the other Cured by -DCURED: all work at the same time.
 *
 * Usage: mpirun -np 2 ./wait_states [steps] [pattern]     The work is done asleep. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS 31
#define WORK  0.02   /* seconds of a step */
#define LARGE 131072 /* doubles: 1 MiB, which is sent when its receiver is there */
#define SMALL 16     /* doubles */
#ifdef CURED
#define CURE 1
#else
#define CURE 0
#endif

static double *mine, *theirs;
static int rank, size;

static void work(double seconds)
{
    struct timespec left = { (time_t)seconds, (long)((seconds - (long)seconds) * 1e9) };
    while (nanosleep(&left, &left) != 0) {
    }
}

/* Whether it is this rank's turn works `part` of the step; cured: all take part. */
static void work_if(int turn, double part)
{
    if (CURE) {
        work(WORK * part);
    } else if (turn) {
        work(WORK);
    }
}

static int sends(int step)
{
    return (rank + step) % 2 == 0;
}

static void receive(int step)
{
    work_if(sends(step), 0.5);
    if (sends(step)) {
        MPI_Send(mine, SMALL, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(theirs, SMALL, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void send(int step)
{
    work_if(!sends(step), 0.5);
    if (sends(step)) {
        MPI_Send(mine, LARGE, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(theirs, LARGE, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void completion(int step)
{
    MPI_Request requests[2];

    MPI_Irecv(theirs, SMALL, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, &requests[0]);
    work_if(sends(step), 0.5);
    MPI_Isend(mine, SMALL, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void broadcast(int step)
{
    int root = step % size;

    work_if(rank == root, 1.0 / size);
    MPI_Bcast(root == rank ? mine : theirs, SMALL, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void reduction(int step)
{
    int root = step % size;

    work_if(rank != root, (size - 1.0) / size);
    MPI_Reduce(mine, theirs, SMALL, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}

static void sum(int step)
{
    work_if(rank == step % size, 1.0 / size);
    MPI_Allreduce(mine, theirs, SMALL, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *pattern = argc > 2 ? argv[2] : "all";
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    struct {
        const char *name;
        void (*step)(int);
    } patterns[] = { { "receive", receive },       { "send", send },
                     { "completion", completion }, { "broadcast", broadcast },
                     { "reduction", reduction },   { "sum", sum } };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = calloc(LARGE, sizeof *mine);
    theirs = calloc(LARGE, sizeof *theirs);
    for (size_t which = 0; which < sizeof patterns / sizeof *patterns; which++) {
        for (int step = 0;
             step < steps && (!strcmp(pattern, "all") || !strcmp(pattern, patterns[which].name));
             step++) {
            patterns[which].step(step);
        }
    }
    if (rank == 0) {
        printf("%d steps of %s\n", steps, pattern);
    }
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
