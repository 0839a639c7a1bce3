/* Rank 1 sends SIZE bytes to rank 0 in INSTANCES turns, both nonblocking. COMPUTING says who computes for MICROSECONDS before completing: "both", or "sender"
 * alone, whose message then moves while it computes if the receiver fetches it. Prints, by a clock of its own, how long a message takes with nothing in its way, and
 * for each rank and turn what its message had before the completing call, and still needed in it.
 *
 * Usage: achieved SIZE MICROSECONDS INSTANCES both|sender      output: a line of seconds, then lines of two: gap, rest */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 40 };
/* Times of a rank in a turn: entry and exit of its post, entry and exit of the completing call. */
enum { POST, POSTED, ENTER, EXIT, TIMES };

/* Not MPI_Wtime: libraries count from when each process started. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

static double undisturbed(char *bytes, int size, int rank)
{
    double shortest = 1e9;
    for (int k = 0; k < ROUNDS; k++) {
        const double begin = now();
        for (int turn = 0; turn < 2; turn++)
            if (turn == rank)
                MPI_Send(bytes, size, MPI_BYTE, 1 - rank, 3, MPI_COMM_WORLD);
            else
                MPI_Recv(bytes, size, MPI_BYTE, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        shortest = k ? least(shortest, now() - begin) : shortest;
    }
    return shortest / 2;
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

/* Seconds in which the rank did something else and both sides had posted; seconds that the completing call took from then on. */
static void print(const double *mine, const double *other)
{
    const double late = most(mine[POST], other[POST]);
    printf("%.9f %.9f\n", most(0, mine[ENTER] - most(late, mine[POSTED])), most(0, mine[EXIT] - most(mine[ENTER], late)));
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int size = atoi(argv[1]), instances = atoi(argv[3]);
    const double seconds = !rank && !strcmp(argv[4], "sender") ? 0 : 1e-6 * atof(argv[2]);
    char *bytes = calloc(1, (size_t)size);
    double (*times)[TIMES] = calloc((size_t)instances, sizeof *times), (*other)[TIMES] = calloc((size_t)instances, sizeof *other);
    for (int k = 0; k < instances; k++)
        turn(bytes, size, rank, seconds, times[k]);
    const double time = undisturbed(bytes, size, rank);
    MPI_Sendrecv(times, TIMES * instances, MPI_DOUBLE, 1 - rank, 2, other, TIMES * instances, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
        printf("%.9f\n", time);
        for (int k = 0; k < instances; k++) {
            print(times[k], other[k]);
            print(other[k], times[k]);
        }
    }
    MPI_Finalize();
}
