/* What a job of a centre does again and again, in blocks: one of a pair calls MPI_..., which leads
 * to what is preloaded, the other one PMPI_..., which leads to the library. What the host does to
 * one it does to the other some milliseconds later. A line for each pair: CPU seconds of all ranks
 * without and with. Usage: fleet_blocks KIND SECONDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 512, CELLS = SIDE * SIDE, LINE = 16384, PANEL = 96, TASKS = 20, MOST = 100000 };
#define BLOCK           0.02 /* seconds */
#define WORLD           MPI_COMM_WORLD
#define CALL(name, ...) (with ? MPI_##name(__VA_ARGS__) : PMPI_##name(__VA_ARGS__))

static double cells[2][CELLS], panel[PANEL * PANEL], product[PANEL * PANEL];
static char sent[LINE * 8], got[LINE * 8];
static int rank, other;
static MPI_Win window;
static char *exposed;

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Five points, `rows` of them. */
static double relax(int rows)
{
    double change = 0;
    for (int i = 1; i < rows; i++)
        for (int j = 1; j < SIDE - 1; j++) {
            const int k = i * SIDE + j;
            cells[1][k] = 0.25 * (cells[0][k - 1] + cells[0][k + 1] + cells[0][k - SIDE] +
                                  cells[0][k + SIDE]);
            change += cells[1][k] - cells[0][k];
        }
    return change;
}

/* A sweep over 512 x 512 points, a border for each neighbour; how much changed, now and then. */
static void stencil(int with)
{
    static int sweeps[2];
    MPI_Request requests[2];
    double mine = relax(SIDE - 1), sum;
    CALL(Irecv, got, SIDE, MPI_DOUBLE, other, 1, WORLD, &requests[0]);
    CALL(Isend, sent, SIDE, MPI_DOUBLE, other, 1, WORLD, &requests[1]);
    CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    if (++sweeps[with] % 10 == 0)
        CALL(Allreduce, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD);
}

/* Conjugate gradients: a product with the matrix, two sums. */
static void gradients(int with)
{
    double mine = relax(64), sum;
    CALL(Sendrecv, sent, SIDE, MPI_DOUBLE, other, 2, got, SIDE, MPI_DOUBLE, other, 2, WORLD,
         MPI_STATUS_IGNORE);
    CALL(Allreduce, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD);
    CALL(Allreduce, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD);
}

/* A transform: all data change places. */
static void transform(int with)
{
    relax(128);
    CALL(Alltoall, sent, LINE * 4, MPI_CHAR, got, LINE * 4, MPI_CHAR, WORLD);
}

/* Particles: forces, then those that left to both sides, and the energy. */
static void particles(int with)
{
    static int steps[2];
    const int count = 400 + 64 * (steps[with]++ % 16);
    MPI_Status status;
    double mine = relax(96), sum;
    for (int side = 0; side < 2; side++)
        CALL(Sendrecv, sent, count, MPI_CHAR, other, 3, got, LINE, MPI_CHAR, other, 3, WORLD,
             &status);
    CALL(Allreduce, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD);
}

/* Dense algebra: a panel for all, and a product with it. */
static void panels(int with)
{
    static int roots[2];
    CALL(Bcast, panel, PANEL * PANEL, MPI_DOUBLE, roots[with]++ % 2, WORLD);
    for (int i = 0; i < PANEL; i++)
        for (int k = 0; k < PANEL; k++)
            for (int j = 0; j < PANEL; j++)
                product[i * PANEL + j] += panel[i * PANEL + k] * panel[k * PANEL + j];
}

/* Rank 0 hands out tasks of a quarter of a millisecond, as who asks. */
static void tasks(int with)
{
    for (int task = 0; task < TASKS; task++)
        if (rank == 0) {
            MPI_Status status;
            CALL(Recv, got, 8, MPI_CHAR, MPI_ANY_SOURCE, 4, WORLD, &status);
            CALL(Send, sent, 64, MPI_CHAR, status.MPI_SOURCE, 5, WORLD);
        } else {
            CALL(Send, sent, 8, MPI_CHAR, 0, 4, WORLD);
            CALL(Recv, got, 64, MPI_CHAR, 0, 5, WORLD, MPI_STATUS_IGNORE);
            relax(256);
        }
}

/* One-sided: what the neighbour needs, between two fences. */
static void puts_(int with)
{
    relax(128);
    CALL(Put, sent, LINE, MPI_CHAR, other, 0, LINE, MPI_CHAR, window);
    CALL(Win_fence, 0, window);
}

/* No program of a centre: nothing but the shortest sums. */
static void sums_only(int with)
{
    double mine = 1, sum;
    for (int i = 0; i < 1000; i++)
        CALL(Allreduce, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD);
}

static const struct kind {
    const char *name;
    void (*turn)(int with);
} kinds[] = {
    { "stencil", stencil },     { "gradients", gradients }, { "transform", transform },
    { "particles", particles }, { "panels", panels },       { "tasks", tasks },
    { "puts", puts_ },          { "sums_only", sums_only },
};

/* CPU seconds of all ranks for `turns` turns. */
static double block(const struct kind *kind, int turns, int with)
{
    PMPI_Barrier(WORLD);
    const double begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < turns; i++)
        kind->turn(with);
    double mine = seconds(CLOCK_PROCESS_CPUTIME_ID) - begin, sum;
    PMPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD);
    return sum;
}

/* As many turns as a block lasts, the same in all ranks. */
static int turns_of(const struct kind *kind)
{
    int turns = 1;
    double took = block(kind, turns, 1);
    while (took < 0.5 * BLOCK) {
        turns *= 2;
        took = block(kind, turns, 1);
    }
    turns = (int)(turns * 2 * BLOCK / took) + 1;
    PMPI_Bcast(&turns, 1, MPI_INT, 0, WORLD);
    return turns;
}

/* The block that comes first is drawn, by the same numbers in all ranks. */
static int measure(const struct kind *kind, double limit, double (*pairs)[2])
{
    const double until = seconds(CLOCK_MONOTONIC) + limit;
    const int turns = turns_of(kind);
    int count = 0, is_over = 0;
    for (; count < MOST && (count < 2 || !is_over); count++) {
        const int first = rand() & 1;
        pairs[count][first] = block(kind, turns, first);
        pairs[count][!first] = block(kind, turns, !first);
        is_over = seconds(CLOCK_MONOTONIC) > until;
        PMPI_Bcast(&is_over, 1, MPI_INT, 0, WORLD);
    }
    return count;
}

int main(int argc, char **argv)
{
    static double pairs[MOST][2];
    const struct kind *kind = NULL;
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &ranks);
    for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, argv[1]))
            kind = &kinds[i];
    if (!kind || ranks != 2)
        MPI_Abort(WORLD, 2);
    other = 1 - rank;
    MPI_Win_allocate(LINE, 1, MPI_INFO_NULL, WORLD, &exposed, &window);
    MPI_Win_fence(0, window);
    const int count = measure(kind, atof(argv[2]), pairs);
    for (int i = 1; i < count && rank == 0; i++) /* the first one reads memory for the first time */
        printf("pair %.9f %.9f\n", pairs[i][0], pairs[i][1]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
