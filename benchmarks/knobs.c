/* One kind of communication in many short batches; rank 0 prints the time of the fastest: a figure
 * that other load of the host hardly reaches.
 *
 * Usage: mpirun -n 2 ./knobs KIND BYTES TURNS SECONDS
 * KIND: pingpong, allreduce, alltoall, bcast, barrier, overlap, put, accumulate, fetch. TURNS: in a
 * batch. SECONDS: batches begin until then. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int rank, ranks, bytes, turns;
    char *mine, *theirs;
    MPI_Win window;
} Bench;

static void pingpong(Bench *b)
{
    int other = b->rank ^ 1;
    for (int turn = 0; turn < b->turns; turn++) {
        if (b->rank == 0) {
            MPI_Send(b->mine, b->bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
            MPI_Recv(b->mine, b->bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (b->rank == 1) {
            MPI_Recv(b->mine, b->bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(b->mine, b->bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        }
    }
}

static void allreduce(Bench *b)
{
    for (int turn = 0; turn < b->turns; turn++) {
        MPI_Allreduce(b->mine, b->theirs, b->bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void alltoall(Bench *b)
{
    for (int turn = 0; turn < b->turns; turn++) {
        MPI_Alltoall(b->mine, b->bytes, MPI_CHAR, b->theirs, b->bytes, MPI_CHAR, MPI_COMM_WORLD);
    }
}

static void bcast(Bench *b)
{
    for (int turn = 0; turn < b->turns; turn++) {
        MPI_Bcast(b->mine, b->bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
}

/* An exchange that is under way while both ranks compute for a while. */
static void overlap(Bench *b)
{
    volatile double sum = 0;
    for (int turn = 0; turn < b->turns; turn++) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        MPI_Irecv(b->theirs, b->bytes, MPI_CHAR, b->rank ^ 1, 0, MPI_COMM_WORLD, requests);
        MPI_Isend(b->mine, b->bytes, MPI_CHAR, b->rank ^ 1, 0, MPI_COMM_WORLD, requests + 1);
        for (int step = 0; step < 100000; step++) {
            sum += step;
        }
        MPI_Waitall(2, requests, statuses);
    }
}

static void barrier(Bench *b)
{
    for (int turn = 0; turn < b->turns; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Rank 0 alone is busy; the others wait in the collective call that follows a batch. */
static void put(Bench *b)
{
    for (int turn = 0; turn < b->turns && b->rank == 0; turn++) {
        MPI_Put(b->mine, b->bytes, MPI_CHAR, 1, 0, b->bytes, MPI_CHAR, b->window);
        MPI_Win_flush(1, b->window);
    }
}

static void accumulate(Bench *b)
{
    for (int turn = 0; turn < b->turns && b->rank == 0; turn++) {
        MPI_Accumulate(b->mine, b->bytes / 8, MPI_DOUBLE, 1, 0, b->bytes / 8, MPI_DOUBLE, MPI_SUM,
                       b->window);
        MPI_Win_flush(1, b->window);
    }
}

static void fetch(Bench *b)
{
    for (int turn = 0; turn < b->turns && b->rank == 0; turn++) {
        MPI_Fetch_and_op(b->mine, b->theirs, MPI_DOUBLE, 1, 0, MPI_SUM, b->window);
        MPI_Win_flush(1, b->window);
    }
}

static const struct {
    const char *name;
    void (*run)(Bench *);
    int windowed;
} kinds[] = { { "pingpong", pingpong, 0 }, { "allreduce", allreduce, 0 },
              { "alltoall", alltoall, 0 }, { "bcast", bcast, 0 },
              { "overlap", overlap, 0 },   { "barrier", barrier, 0 },
              { "put", put, 1 },           { "accumulate", accumulate, 1 },
              { "fetch", fetch, 1 } };

static double fastest(Bench *b, void (*run)(Bench *), double seconds)
{
    double begin = MPI_Wtime(), best = 1e9;
    int more = 1;
    while (more) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime(), took;
        run(b);
        took = MPI_Wtime() - start;
        best = took < best ? took : best;
        more = MPI_Wtime() - begin < seconds;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return best;
}

static void prepare(Bench *b, int windowed)
{
    char *base = NULL;
    b->mine = calloc(b->ranks, b->bytes);
    b->theirs = calloc(b->ranks, b->bytes);
    if (windowed) {
        MPI_Win_allocate(b->bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &b->window);
        memset(base, 0, b->bytes);
        MPI_Win_lock_all(0, b->window);
    }
}

int main(int argc, char **argv)
{
    Bench b = { 0 };
    int kind = 0, last = sizeof kinds / sizeof *kinds - 1;

    MPI_Init(&argc, &argv);
    if (argc != 5) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
    b.bytes = atoi(argv[2]);
    b.turns = atoi(argv[3]);
    while (kind < last && strcmp(kinds[kind].name, argv[1])) {
        kind++;
    }
    prepare(&b, kinds[kind].windowed);
    double best = fastest(&b, kinds[kind].run, atof(argv[4]));
    if (b.rank == 0) {
        printf("fastest batch: %.9f s\n", best);
    }
    if (kinds[kind].windowed) {
        MPI_Win_unlock_all(b.window);
        MPI_Win_free(&b.window);
    }
    MPI_Finalize();
    return 0;
}
