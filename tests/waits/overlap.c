/* Two ranks exchange SIZE bytes in INSTANCES turns: both post, compute for MICROSECONDS, and
 * complete. Prints what of the completing calls could have been hidden at most, by the program's
 * own clock: the lesser of what they took after both had posted, and of the time between the later
 * post and the call.
 *
 * Usage: overlap SIZE MICROSECONDS INSTANCES      output: "overlappable SECONDS in SECONDS" */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}
static double most(double a, double b)
{
    return a > b ? a : b;
}

/* Times of a rank in a turn: its posts, and entry and exit of the completing call. The receives are
 * posted first. */
enum { RECEIVE, SEND, ENTER, EXIT, TIMES };

static double overlappable(const double *mine, const double *other)
{
    const double late = most(most(mine[RECEIVE], other[SEND]), most(mine[SEND], other[RECEIVE]));
    return most(0, least(mine[ENTER] - late, mine[EXIT] - most(mine[ENTER], late)));
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int size = atoi(argv[1]), instances = atoi(argv[3]);
    const double seconds = 1e-6 * atof(argv[2]);
    char *out = calloc(1, (size_t)size), *in = calloc(1, (size_t)size);
    double (*times)[TIMES] = calloc((size_t)instances, sizeof *times),
           (*other)[TIMES] = calloc((size_t)instances, sizeof *other), sums[2] = { 0, 0 }, all[2];
    for (int k = 0; k < instances; k++) {
        MPI_Request requests[2];
        times[k][RECEIVE] = now();
        MPI_Irecv(in, size, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
        times[k][SEND] = now();
        MPI_Isend(out, size, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
        for (double end = now() + seconds; now() < end;)
            ;
        times[k][ENTER] = now();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        times[k][EXIT] = now();
    }
    MPI_Sendrecv(times, TIMES * instances, MPI_DOUBLE, 1 - rank, 2, other, TIMES * instances,
                 MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < instances; k++) {
        sums[0] += overlappable(times[k], other[k]);
        sums[1] += times[k][EXIT] - times[k][ENTER];
    }
    MPI_Reduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("overlappable %.9f in %.9f\n", all[0], all[1]);
    MPI_Finalize();
}
