/* knob KIND BYTES SECONDS: one kind of call for so long; prints the seconds of the fastest of its
 * batches, per call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, bytes;
static char *out, *in;
static MPI_Win window;

static void exchange(void)
{
    if (rank == 0) {
        MPI_Send(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static void allreduce(void)
{
    MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void put(void)
{
    MPI_Put(out, bytes, MPI_BYTE, 1 - rank, 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(1 - rank, window);
}

static void accumulate(void)
{
    MPI_Accumulate(out, bytes / 8, MPI_DOUBLE, 1 - rank, 0, bytes / 8, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(1 - rank, window);
}

int main(int words, char **word)
{
    static const struct {
        const char *name;
        void (*call)(void);
        int window;
    } kinds[] = { { "exchange", exchange, 0 },
                  { "allreduce", allreduce, 0 },
                  { "barrier", barrier, 0 },
                  { "put", put, 1 },
                  { "accumulate", accumulate, 1 } };
    int kind = 0,
        next[2] = { 1, 1 }; /* calls of the next batch, whether there is one: rank 0 says so */
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++)
        kind = strcmp(word[1], kinds[i].name) ? kind : i;
    bytes = atoi(word[2]);
    out = calloc(1, bytes);
    in = calloc(1, bytes);
    if (kinds[kind].window) {
        void *base;
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
        MPI_Win_lock_all(0, window);
    }
    double begin = MPI_Wtime(), fastest = 1e9;
    while (next[1]) {
        const int batch = next[0];
        double start = MPI_Wtime();
        for (int i = 0; i < batch; i++)
            kinds[kind].call();
        double took = MPI_Wtime() - start;
        fastest = took / batch < fastest ? took / batch : fastest;
        next[0] = took < 0.01 && batch < 1 << 20 ? batch * 2 : batch;
        next[1] = MPI_Wtime() - begin < atof(word[3]);
        MPI_Bcast(next, 2, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("a call %.9f\n", fastest);
    if (kinds[kind].window) {
        MPI_Win_unlock_all(window);
        MPI_Win_free(&window);
    }
    MPI_Finalize();
    return 0;
}
