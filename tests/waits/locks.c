/* A lock of rank 0's window that the others take in turns, of two ranks both, if uneven all, each
 * epoch for a time that is known: who waited how long for whom. Each rank keeps entry and exit of
 * its calls by the program's own clock.
 *
 * Usage: locks HOW EPOCHS      output: "wait SECONDS time SECONDS unlock SECONDS caused SHARE
 * result NUMBER" HOW: exclusive, each holds the lock while it computes; shared, the same with
 * shared locks; mixed, every third epoch is shared; all, every third locks all ranks, whose own
 * waits are left out; uneven, the first of them holds it seven times as long; late, nothing asks
 * for the lock before it is given back, which libraries may use to put it off. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, size, first; /* first: of those that lock */

static double now(void)
{
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Microseconds, about that many. */
static void compute(double most, long k)
{
    unsigned value = (unsigned)(k * size + rank);
    value = (value ^ value >> 16) * 0x45d9f3bu;
    value = (value ^ value >> 16) * 0x45d9f3bu;
    for (double end = now() + 1e-6 * most * (0.5 + (value ^ value >> 16) % 1000 / 1000.0);
         now() < end;)
        ;
}

enum { LOCKING, LOCKED, UNLOCKING, UNLOCKED, SHARES, ALL, TIMES };

static void epoch(const char *how, long k, MPI_Win window, double *times)
{
    const int all = !strcmp(how, "all") && k % 3 == 0,
              shares = all || !strcmp(how, "shared") || (!strcmp(how, "mixed") && k % 3 == 0),
              one = 1;
    int old;
    compute(30, k + 5);
    times[SHARES] = shares;
    times[ALL] = all;
    times[LOCKING] = now();
    if (all)
        MPI_Win_lock_all(0, window);
    else
        MPI_Win_lock(shares ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window);
    times[LOCKED] = now();
    if (strcmp(how, "late")) {
        MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
    }
    compute(!strcmp(how, "uneven") && rank == first ? 1000 : 150, k);
    if (!strcmp(how, "late"))
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    times[UNLOCKING] = now();
    if (all)
        MPI_Win_unlock_all(window);
    else
        MPI_Win_unlock(0, window);
    times[UNLOCKED] = now();
}

/* For whom a call waits that ended then: for the last that began to give the lock back before, of
 * those that were over if it gives it back itself. METRICS 3.3. */
static double waited(double (*all)[TIMES], long epochs, int own, const double *mine, int gives_back,
                     double *for_first)
{
    const double enter = mine[gives_back ? UNLOCKING : LOCKING],
                 exit = mine[gives_back ? UNLOCKED : LOCKED];
    double late = 0;
    int who = -1;
    for (long i = first * epochs; i < size * epochs; i++)
        if (i / epochs != own && !(all[i][SHARES] > 0 && mine[SHARES] > 0) &&
            all[i][gives_back ? UNLOCKED : UNLOCKING] < exit && all[i][UNLOCKING] > late) {
            late = all[i][UNLOCKING];
            who = (int)(i / epochs);
        }
    const double wait = late > enter ? (late < exit ? late : exit) - enter : 0;
    *for_first += who == first ? wait : 0;
    return wait;
}

int main(int argc, char **argv)
{
    int *memory = NULL, result = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *how = argv[argc - 2];
    first = size > 2 && strcmp(how, "uneven");
    const long epochs = atol(argv[argc - 1]);
    double (*times)[TIMES] = calloc((size_t)epochs, sizeof *times),
           (*all)[TIMES] = malloc((size_t)(size * epochs) * sizeof *all);
    double wait = 0, unlock = 0, total = 0, for_first = 0;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long k = 0; rank >= first && k < epochs; k++)
        epoch(how, k, window, times[k]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    result = *memory;
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
    MPI_Gather(times, TIMES * (int)epochs, MPI_DOUBLE, all, TIMES * (int)epochs, MPI_DOUBLE, 0,
               MPI_COMM_WORLD);
    for (long i = first * epochs; rank == 0 && i < size * epochs; i++) {
        if (all[i][ALL] > 0)
            continue;
        wait += waited(all, epochs, (int)(i / epochs), all[i], 0, &for_first);
        unlock += waited(all, epochs, (int)(i / epochs), all[i], 1, &for_first);
        total += all[i][LOCKED] - all[i][LOCKING] + all[i][UNLOCKED] - all[i][UNLOCKING];
    }
    if (rank == 0)
        printf("wait %.9f time %.9f unlock %.9f caused %.9f result %d\n", wait, total, unlock,
               wait + unlock > 0 ? for_first / (wait + unlock) : 0, result);
    free(times);
    free(all);
    MPI_Finalize();
    return 0;
}
