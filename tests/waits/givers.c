/* Calls with a root in which the givers come first: "bcast" and "scatter", the last rank comes late
 * for what rank 0 has; "gather" and "reduce", rank 0 comes late for what the others have. Long data
 * goes straight from one memory to another, and the giver stays until the taker is there. "short":
 * a broadcast that goes without its takers.
 * Prints how long the givers stayed for the taker, by the program's own clock: from where they
 * entered to where it came, of calls that had not ended by then. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 60, LONG = 1 << 20, SHORT = 16, MOST = 4 };

static char given[MOST * LONG], taken[MOST * LONG];

/* One clock for all ranks of the host, which MPI_Wtime need not be. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void work(double seconds)
{
    const double until = now() + seconds;
    while (now() < until) {
    }
}

static void call(const char *how)
{
    if (!strcmp(how, "bcast"))
        MPI_Bcast(given, LONG, MPI_CHAR, 0, MPI_COMM_WORLD);
    else if (!strcmp(how, "short"))
        MPI_Bcast(given, SHORT, MPI_CHAR, 0, MPI_COMM_WORLD);
    else if (!strcmp(how, "scatter"))
        MPI_Scatter(given, LONG, MPI_CHAR, taken, LONG, MPI_CHAR, 0, MPI_COMM_WORLD);
    else if (!strcmp(how, "gather"))
        MPI_Gather(given, LONG, MPI_CHAR, taken, LONG, MPI_CHAR, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(given, taken, LONG, MPI_CHAR, MPI_MAX, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "bcast";
    const int to_root = !strcmp(how, "gather") || !strcmp(how, "reduce");
    double times[2 * ROUNDS], all[MOST * 2 * ROUNDS], stayed = 0;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int late = to_root ? 0 : size - 1;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == late)
            work(4e-3);
        times[2 * round] = now();
        call(how);
        times[2 * round + 1] = now();
    }
    MPI_Allgather(times, 2 * ROUNDS, MPI_DOUBLE, all, 2 * ROUNDS, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int giver = 0; giver < size; giver++)
        for (int round = 0; round < ROUNDS && (to_root ? giver > 0 : giver == 0); round++) {
            const double *own = &all[(giver * ROUNDS + round) * 2],
                         came = all[(late * ROUNDS + round) * 2];
            stayed += own[1] > came && came > own[0] ? came - own[0] : 0;
        }
    if (rank == 0)
        printf("%.6f\n", stayed);
    MPI_Finalize();
    return 0;
}
