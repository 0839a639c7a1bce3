/* Waits that are known where each rank waits for some others only: neighbours, lower ranks, a
 * sender that anybody might be, persistent requests, epochs of groups. Each rank keeps its times by
 * the program's own clock.
 *
 * Usage: partners WHAT INSTANCES MICROSECONDS      MICROSECONDS: how far a rank's computing varies;
 * output: "wait SECONDS stalled SECONDS lasted SECONDS", of all ranks in the calls that may wait,
 * stalls.h, and of rank 0 in all instances */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size, left, right;
static unsigned varies;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#include "stalls.h"

static void compute_some(long k)
{
    unsigned value = (unsigned)(k * size + rank);
    value = (value ^ value >> 16) * 0x45d9f3bu;
    value = (value ^ value >> 16) * 0x45d9f3bu;
    compute(1e-6 * (10 + (value ^ value >> 16) % varies));
}

/* CAME: when others can see that this rank has; ENTER and EXIT: of the calls that may wait. */
enum { CAME, ENTER, EXIT, TIMES };

static double in[4], out[4];
static MPI_Comm ring;
static MPI_Request requests[2];

#include "epochs.h"

static void scan(long k, double *times)
{
    MPI_Barrier(MPI_COMM_WORLD); /* the first rank waits for nobody in a scan: it would be ahead all
                                    the time */
    compute_some(k);
    times[CAME] = times[ENTER] = now();
    MPI_Scan(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void neighbours(long k, double *times)
{
    compute_some(k);
    times[CAME] = times[ENTER] = now();
    MPI_Neighbor_allgather(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, ring);
}

static void from_above(long k, double *times, int matched)
{
    MPI_Message message;
    compute_some(k);
    if (rank % 2)
        compute_some(k + 7); /* a sender waits for nobody: it would be ahead all the time */
    times[CAME] = times[ENTER] = now();
    if (rank % 2)
        MPI_Send(out, 1, MPI_DOUBLE, rank - 1, 5, MPI_COMM_WORLD);
    else if (!matched)
        MPI_Recv(in, 1, MPI_DOUBLE, k % 3 ? MPI_ANY_SOURCE : rank + 1, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    else
        MPI_Mprobe(k % 3 ? MPI_ANY_SOURCE : rank + 1, 5, MPI_COMM_WORLD, &message,
                   MPI_STATUS_IGNORE);
    times[EXIT] = now();
    if (rank % 2 == 0 && matched)
        MPI_Mrecv(in, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
}

static void any(long k, double *times)
{
    from_above(k, times, 0);
}
static void matched(long k, double *times)
{
    from_above(k, times, 1);
}

enum { BLOCKS = 10 };

/* The rank that rank i has block k from, -1: it begins. Sweeps of BLOCKS blocks go up and down in
 * turn, so that nobody is ahead for longer: what comes from a rank in one sweep goes to it in the
 * next. */
static int upstream(int i, long k)
{
    const int other = k / BLOCKS % 2 ? i + 1 : i - 1;
    return other < size ? other : -1;
}

static void pipeline(long k, double *times)
{
    const int from = upstream(rank, k), to = upstream(rank, k + BLOCKS);
    times[ENTER] = now();
    if (from >= 0)
        MPI_Recv(in, 1, MPI_DOUBLE, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    times[EXIT] = now();
    compute_some(k);
    times[CAME] = now();
    if (to >= 0)
        MPI_Send(out, 1, MPI_DOUBLE, to, 5, MPI_COMM_WORLD);
}

/* Two ranks send to a third, one of them twice, which has posted receives from anybody; the one
 * posted last comes first in its array, so that of what is there it is the first to be completed.
 */
static void posted(long k, double *times)
{
    static MPI_Request open[3];
    for (int i = 2; rank % 3 == 0 && i >= 0; i--)
        MPI_Irecv(&in[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, (int)k, MPI_COMM_WORLD, &open[i]);
    compute_some(k);
    if (rank % 3 == 1) {
        MPI_Send(out, 1, MPI_DOUBLE, rank - 1, (int)k, MPI_COMM_WORLD);
        compute_some(k + 7);
    }
    times[CAME] = times[ENTER] = now();
    if (rank % 3)
        MPI_Send(out, 1, MPI_DOUBLE, rank - rank % 3, (int)k, MPI_COMM_WORLD);
    else if (k % 2)
        MPI_Waitall(3, open, MPI_STATUSES_IGNORE);
    else
        for (int i = 0, index; i < 3; i++)
            MPI_Waitany(3, open, &index, MPI_STATUS_IGNORE);
    times[EXIT] = now();
}

static void persistent(long k, double *times)
{
    if (k == 0) {
        MPI_Recv_init(in, 1, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Send_init(out, 1, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &requests[1]);
    }
    MPI_Start(&requests[0]);
    compute_some(k);
    times[CAME] = now();
    MPI_Start(&requests[1]);
    times[ENTER] = now();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void persistent_collective(long k, double *times)
{
#if MPI_VERSION >= 4
    if (k == 0)
        MPI_Allreduce_init(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &requests[0]);
    compute_some(k);
    times[CAME] = now();
    MPI_Start(&requests[0]);
    times[ENTER] = now();
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#endif
}

static double least(double a, double b)
{
    return a < b ? a : b;
}
static double most(double a, double b)
{
    return a > b ? a : b;
}

/* When the last of those came for whom rank i waits: METRICS 3.3. */
static double awaited(const char *what, int i, long k, double times[][TIMES])
{
    double last = 0;
    if (!strcmp(what, "pipeline"))
        return upstream(i, k) < 0 ? 0 : times[upstream(i, k)][CAME];
    if (!strcmp(what, "any") || !strcmp(what, "matched") || !strcmp(what, "exposed") ||
        !strcmp(what, "late_post"))
        return i % 2 ? 0 : times[i + 1][CAME];
    if (!strcmp(what, "posted"))
        return i % 3 ? 0 : most(times[i + 1][CAME], times[i + 2][CAME]);
    if (!strcmp(what, "persistent"))
        return times[(i + size - 1) % size][CAME];
    if (!strcmp(what, "neighbours"))
        return most(times[(i + size - 1) % size][CAME], times[(i + 1) % size][CAME]);
    for (int j = 0; j < (strcmp(what, "scan") ? size : i); j++)
        last = most(last, times[j][CAME]);
    return last;
}

static const struct {
    const char *name;
    void (*turn)(long, double *);
} all[] = { { "scan", scan },
            { "neighbours", neighbours },
            { "any", any },
            { "matched", matched },
            { "pipeline", pipeline },
            { "posted", posted },
            { "persistent", persistent },
            { "persistent_collective", persistent_collective },
            { "exposed", exposed },
            { "late_post", late_post } };

static void prepare(void)
{
    int periodic = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    prepare_epochs();
    requests[0] = requests[1] = MPI_REQUEST_NULL;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    prepare();
    const char *what = argv[argc - 3];
    const long instances = atol(argv[argc - 2]);
    varies = (unsigned)atol(argv[argc - 1]);
    double (*times)[TIMES] = calloc((size_t)instances, sizeof *times),
           (*gathered)[TIMES] = calloc((size_t)(size * instances), sizeof *gathered),
           one[64][TIMES], wait = 0, in_calls = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (long k = 0; !strcmp(all[i].name, what) && k < instances; k++) {
            all[i].turn(k, times[k]);
            if (!times[k][EXIT])
                times[k][EXIT] = now();
        }
    MPI_Gather(times, TIMES * (int)instances, MPI_DOUBLE, gathered, TIMES * (int)instances,
               MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (long k = 0; rank == 0 && k < instances; k++) {
        for (int i = 0; i < size; i++)
            memcpy(one[i], gathered[i * instances + k], sizeof one[i]);
        for (int i = 0; i < size; i++) {
            wait += most(
                0, least(awaited(what, i, k, one) - one[i][ENTER], one[i][EXIT] - one[i][ENTER]));
            in_calls += stall_in(most(awaited(what, i, k, one), one[i][ENTER]), one[i][EXIT]);
        }
    }
    const double stalled = in_calls + stalls_of_all(rank, size);
    if (rank == 0)
        printf("wait %.9f stalled %.6f lasted %.6f\n", wait, stalled,
               times[instances - 1][EXIT] - times[0][ENTER]);
    for (int i = 0; i < 2; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
