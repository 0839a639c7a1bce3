/* Rank 1 sends SIZE bytes to rank 0 in INSTANCES turns, both nonblocking. In every other turn
 * nobody computes: the message has nothing in its way, and no time before the completing call. In
 * the others COMPUTING says who computes for MICROSECONDS before completing: "both", or "sender"
 * alone, whose message then moves while it computes if the receiver fetches it. BYTES says what
 * becomes of them meanwhile: "kept", or "written" by the sender before each turn and read by the
 * receiver after it. Prints, by a clock of its own, for each turn and rank what its message had
 * before the completing call, still needed in it, and took from the later post to the end.
 *
 * Usage: achieved SIZE MICROSECONDS INSTANCES both|sender kept|written      output: lines of three,
 * in seconds: gap, rest, whole */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Times of a rank in a turn: entry and exit of its post, entry and exit of the completing call. */
enum { POST, POSTED, ENTER, EXIT, TIMES };

/* Not MPI_Wtime: libraries count from when each process started. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static void turn(char *bytes, int size, int rank, double seconds, double *times)
{
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    times[POST] = now();
    if (rank)
        MPI_Isend(bytes, size, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(bytes, size, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    times[POSTED] = now();
    for (const double end = times[POSTED] + seconds; now() < end;)
        ;
    times[ENTER] = now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    times[EXIT] = now();
}

/* Seconds in which the rank did something else and both sides had posted; seconds that the
 * completing call took from then on; seconds from the later post to its end. */
static void print(const double *mine, const double *other)
{
    const double late = most(mine[POST], other[POST]);
    printf("%.9f %.9f %.9f\n", most(0, mine[ENTER] - most(late, mine[POSTED])),
           most(0, mine[EXIT] - most(mine[ENTER], late)), mine[EXIT] - late);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int size = atoi(argv[1]), instances = atoi(argv[3]);
    const double seconds = !rank && !strcmp(argv[4], "sender") ? 0 : 1e-6 * atof(argv[2]);
    const int changes = !strcmp(argv[5], "written");
    char *bytes = memset(malloc((size_t)size), 1, (size_t)size);
    double (*times)[TIMES] = calloc((size_t)instances, sizeof *times),
           (*other)[TIMES] = calloc((size_t)instances, sizeof *other);
    for (int k = 0; k < instances; k++) {
        if (changes && rank)
            memset(bytes, k, (size_t)size);
        turn(bytes, size, rank, k % 2 ? seconds : 0, times[k]);
        if (changes && !rank && memchr(bytes, ~k, (size_t)size))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Sendrecv(times, TIMES * instances, MPI_DOUBLE, 1 - rank, 2, other, TIMES * instances,
                 MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
        for (int k = 0; k < instances; k++) {
            print(times[k], other[k]);
            print(other[k], times[k]);
        }
    }
    MPI_Finalize();
}
