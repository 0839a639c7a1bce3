/* One-sided data calls, plain and with requests. Payload: what the origin names, count times type.
 */
#include "oracle.h"

enum { ROOM = 256 };
static double *memory;
static MPI_Win win;
static double out[ROOM], in[ROOM];

static void data(int target)
{
    LARGE_CALL(Put, 7, 5 * sizeof(double), out, 5, MPI_DOUBLE, target, 0, 5, MPI_DOUBLE, win);
    LARGE_CALL(Get, 5, 3 * sizeof(double), in, 3, MPI_DOUBLE, target, 8, 3, MPI_DOUBLE, win);
    LARGE_CALL(Accumulate, 3, 4 * sizeof(double), out, 4, MPI_DOUBLE, target, 16, 4, MPI_DOUBLE,
               MPI_SUM, win);
    LARGE_CALL(Put, 2, 0, out, 0, MPI_DOUBLE, target, 0, 0, MPI_DOUBLE, win);
    LARGE_CALL(Put, 3, NOBODY, out, 5, MPI_DOUBLE, MPI_PROC_NULL, 0, 5, MPI_DOUBLE, win);
    LARGE_CALL(Get, 2, NOBODY, in, 5, MPI_DOUBLE, MPI_PROC_NULL, 0, 5, MPI_DOUBLE, win);
}

/* The buffers must live until the flush. */
static void atomics(int target)
{
    static double one = 1, before;
    LARGE_CALL(Get_accumulate, 5, 2 * sizeof(double), out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, target,
               24, 2, MPI_DOUBLE, MPI_SUM, win);
    CALL(Fetch_and_op, 7, sizeof(double), &one, &before, MPI_DOUBLE, target, 32, MPI_SUM, win);
}

/* In a shared window, because Open MPI 4.1.4 crashes in others (its emulation of atomics in
 * btl/vader). */
static void swaps(int target)
{
    static long long zero = 0, next = 1, old;
    long long *shared;
    MPI_Win window;
    LARGE_PLAIN(Win_allocate_shared, 1, sizeof *shared, sizeof *shared, MPI_INFO_NULL,
                MPI_COMM_WORLD, &shared, &window);
    PLAIN(Win_lock_all, 1, 0, window);
    CALL(Compare_and_swap, 3, sizeof(long long), &next, &zero, &old, MPI_LONG_LONG, target, 0,
         window);
    PLAIN(Win_unlock_all, 1, window);
    PLAIN(Win_free, 1, &window);
}

/* With MPI_NO_OP the origin's arguments are not read: an atomic get of what the result names. */
static void atomic_get(int target)
{
    static double before;
    LARGE_CALL(Get_accumulate, 3, 2 * sizeof(double), NULL, 0, MPI_DOUBLE, in, 2, MPI_DOUBLE,
               target, 24, 2, MPI_DOUBLE, MPI_NO_OP, win);
    CALL(Fetch_and_op, 2, sizeof(double), NULL, &before, MPI_DOUBLE, target, 32, MPI_NO_OP, win);
}

static void with_requests(int target)
{
    MPI_Request request[4];
    for (int at = 0; at < 3; at++) {
        LARGE_CALL(Rput, 1, 6 * sizeof(double), out, 6, MPI_DOUBLE, target, 48, 6, MPI_DOUBLE, win,
                   &request[0]);
        LARGE_CALL(Rget, 1, 7 * sizeof(double), in, 7, MPI_DOUBLE, target, 56, 7, MPI_DOUBLE, win,
                   &request[1]);
        LARGE_CALL(Raccumulate, 1, 2 * sizeof(double), out, 2, MPI_DOUBLE, target, 64, 2,
                   MPI_DOUBLE, MPI_SUM, win, &request[2]);
        LARGE_CALL(Rget_accumulate, 1, 3 * sizeof(double), out, 3, MPI_DOUBLE, in + 16, 3,
                   MPI_DOUBLE, target, 72, 3, MPI_DOUBLE, MPI_SUM, win, &request[3]);
        PLAIN(Waitall, 1, 4, request, MPI_STATUSES_IGNORE);
    }
}

/* The origin spells 6 doubles as two vectors with gaps; the target lays them side by side. */
static void gaps(int target)
{
    MPI_Datatype vector;
    LARGE_PLAIN(Type_vector, 1, 3, 1, 4, MPI_DOUBLE, &vector);
    PLAIN(Type_commit, 1, &vector);
    LARGE_CALL(Put, 3, 6 * sizeof(double), out, 2, vector, target, 80, 6, MPI_DOUBLE, win);
    LARGE_CALL(Get, 2, 6 * sizeof(double), in, 6, MPI_DOUBLE, target, 80, 2, vector, win);
    PLAIN(Type_free, 1, &vector);
}

void onesided(void)
{
    LARGE_PLAIN(Win_allocate, 1, ROOM * sizeof(double), sizeof(double), MPI_INFO_NULL,
                MPI_COMM_WORLD, &memory, &win);
    PLAIN(Win_lock_all, 1, MPI_MODE_NOCHECK, win);
    data(rank ^ 1);
    PLAIN(Win_flush_all, 1, win);
    atomics(rank ^ 1);
    atomic_get(rank ^ 1);
    PLAIN(Win_flush, 1, rank ^ 1, win);
    with_requests(rank ^ 1);
    PLAIN(Win_flush, 1, rank ^ 1, win);
    gaps(rank ^ 1);
    data(rank); /* to itself */
    PLAIN(Win_unlock_all, 1, win);
    PLAIN(Win_free, 1, &win);
    swaps(rank ^ 1);
}
