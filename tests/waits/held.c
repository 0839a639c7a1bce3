/* In each round some ranks hold exclusive locks for milliseconds, and the others come for shared
 * ones in the meantime, by calls of every kind: which call waited how long, and for whom. Each rank
 * keeps entry and exit of its calls by the program's own clock. Holders have their locks for
 * certain before the others begin, and all leave a round together.
 *
 * Usage: held HOW ROUNDS      output: "OPERATION SECONDS ..." for each kind of call, "caused0
 * SECONDS caused1 ...", "result NUMBER", "wanted NUMBER" HOW: one, lock, flush and unlock of one
 * target; local, the same with MPI_Win_flush_local; last, without a flush; all, locks of all
 * targets with a flush of one; several, locks of all with flushes of all; both, two targets locked
 * apart and flushed together; two, locks of all while two ranks hold one target each, the second
 * twice as long. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CALLS = 8, MOST_RANKS = 8, NAMES = 8 };
static const char *const names[NAMES] = { "Win_lock",       "Win_unlock",         "Win_lock_all",
                                          "Win_unlock_all", "Win_flush",          "Win_flush_local",
                                          "Win_flush_all",  "Win_flush_local_all" };
enum { LOCK, UNLOCK, LOCK_ALL, UNLOCK_ALL, FLUSH, FLUSH_LOCAL, FLUSH_ALL, FLUSH_LOCAL_ALL };

/* A call, and the target that it was for; -1: all. `let_go`: when this rank began to give its
 * exclusive lock back, 0: it had none. */
struct call {
    double name, target, enter, exit;
};
struct round {
    double let_go, held, count;
    struct call calls[MOST_CALLS];
};

static int rank, size;
static struct round *mine;
static MPI_Win window;

static double now(void)
{
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Without a core: others may need it. */
static void rest(double milliseconds)
{
    const struct timespec time = { 0, (long)(1e6 * milliseconds) };
    syscall(SYS_nanosleep, &time, NULL);
}

#define TIMED(which, at, statement)                           \
    do {                                                      \
        struct call *call = &mine->calls[(int)mine->count++]; \
        call->name = which;                                   \
        call->target = at;                                    \
        call->enter = now();                                  \
        statement;                                            \
        call->exit = now();                                   \
    } while (0)

static void add(int target)
{
    const int one = 1;
    MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window);
}

/* What the others do. */
static void come(const char *how, int target)
{
    const int all = strcmp(how, "one") && strcmp(how, "local") && strcmp(how, "last") &&
                    strcmp(how, "both"),
              both = !strcmp(how, "both"), next = (target + 1) % size;
    if (all)
        TIMED(LOCK_ALL, -1, MPI_Win_lock_all(0, window));
    else
        TIMED(LOCK, target, MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window));
    if (both)
        TIMED(LOCK, next, MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window));
    add(target);
    if (!strcmp(how, "local"))
        TIMED(FLUSH_LOCAL, target, MPI_Win_flush_local(target, window));
    else if (!strcmp(how, "several"))
        TIMED(FLUSH_LOCAL_ALL, -1, MPI_Win_flush_local_all(window));
    else if (both)
        TIMED(FLUSH_ALL, target, MPI_Win_flush_all(window)); /* nobody has the other one */
    else if (strcmp(how, "last"))
        TIMED(FLUSH, target, MPI_Win_flush(target, window));
    rest(2); /* who had the lock before has returned from giving it back */
    if (!strcmp(how, "several"))
        TIMED(FLUSH_ALL, -1, MPI_Win_flush_all(window));
    if (all)
        TIMED(UNLOCK_ALL, -1, MPI_Win_unlock_all(window));
    else
        TIMED(UNLOCK, target, MPI_Win_unlock(target, window));
    if (both)
        TIMED(UNLOCK, next, MPI_Win_unlock(next, window));
}

static void take(int target)
{
    const int one = 1;
    int old;
    TIMED(LOCK, target, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window));
    MPI_Fetch_and_op(&one, &old, MPI_INT, target, 0, MPI_SUM, window);
    TIMED(FLUSH, target, MPI_Win_flush(target, window));
}

/* Holders are the last rank, or the first and the last. The first holds its own target, or that of
 * the last. */
static void one_round(const char *how, long k)
{
    const int two = !strcmp(how, "two"), target = two ? 0 : (int)(k % size),
              holds = rank == size - 1 || (two && rank == 0);
    mine->held = two ? rank : target;
    if (holds)
        take((int)mine->held);
    MPI_Barrier(MPI_COMM_WORLD);
    if (holds) {
        rest(two && rank ? 8 : 4);
        mine->let_go = now();
        TIMED(UNLOCK, mine->held, MPI_Win_unlock((int)mine->held, window));
    } else {
        come(how, target);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A call that returned before the holder let go did not wait for it. */
static double waited(const struct round *all, long rounds, long k, int own, const struct call *call,
                     int *who)
{
    double late = 0;
    for (int i = 0; i < size; i++) {
        const struct round *other = &all[i * rounds + k];
        if (i != own && other->let_go > late && (call->target < 0 || call->target == other->held)) {
            late = other->let_go;
            *who = i;
        }
    }
    return late > call->enter && late < call->exit ? late - call->enter : 0;
}

static void tell(const struct round *all, long rounds)
{
    double waits[NAMES] = { 0 }, caused[MOST_RANKS] = { 0 };
    for (int i = 0; i < size; i++)
        for (long k = 0; k < rounds; k++)
            for (int c = 0; c < all[i * rounds + k].count; c++) {
                const struct call *call = &all[i * rounds + k].calls[c];
                int who = 0;
                const double wait =
                    all[i * rounds + k].let_go > 0 ? 0 : waited(all, rounds, k, i, call, &who);
                waits[(int)call->name] += wait;
                caused[who] += wait;
            }
    for (int i = 0; i < NAMES; i++)
        printf("%s %.9f ", names[i], waits[i]);
    for (int i = 0; i < size; i++)
        printf("caused%d %.9f ", i, caused[i]);
}

int main(int argc, char **argv)
{
    int *memory, result = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *how = argv[1];
    const long rounds = atol(argv[2]);
    struct round *own = calloc((size_t)rounds, sizeof *own),
                 *all = malloc((size_t)(size * rounds) * sizeof *all);
    MPI_Alloc_mem(sizeof *memory, MPI_INFO_NULL, &memory);
    *memory = 0;
    MPI_Win_create(memory, sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long k = 0; k < rounds; k++) {
        mine = &own[k];
        one_round(how, k);
    }
    MPI_Win_free(&window);
    MPI_Reduce(memory, &result, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Gather(own, (int)(rounds * (long)sizeof *own), MPI_BYTE, all,
               (int)(rounds * (long)sizeof *own), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        tell(all, rounds);
        printf("result %d wanted %ld\n", result, rounds * size);
    }
    MPI_Finalize();
    return 0;
}
