/* One call of each sort that a trace has records for, with late ranks. everything ROUNDS [die]:
 * rank 1 ends itself by SIGKILL. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

static void work(int microseconds)
{
    nanosleep(&(struct timespec){ 0, microseconds * 1000L }, NULL);
}

static void messages(MPI_Comm comm)
{
    double out[64] = { 0 }, in[64];
    int next = (rank + 1) % size, before = (rank + size - 1) % size, flag = 0;
    MPI_Request both[2];
    MPI_Status status;
    if (rank % 2) {
        MPI_Recv(in, 64, MPI_DOUBLE, before, 5, comm, MPI_STATUS_IGNORE);
        MPI_Send(out, 10, MPI_DOUBLE, next, 5, comm);
    } else {
        work(500);
        MPI_Send(out, 10, MPI_DOUBLE, next, 5, comm);
        MPI_Recv(in, 64, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    }
    MPI_Irecv(in, 64, MPI_DOUBLE, before, 6, comm, &both[0]);
    work(rank * 300);
    MPI_Isend(out, 64, MPI_DOUBLE, next, 6, comm, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, 8, MPI_DOUBLE, next, 7, in, 8, MPI_DOUBLE, before, 7, comm,
                 MPI_STATUS_IGNORE);
    MPI_Irecv(in, 64, MPI_DOUBLE, before, 8, comm, &both[0]);
    MPI_Ssend(out, 3, MPI_DOUBLE, next, 8, comm);
    while (!flag)
        MPI_Test(&both[0], &flag, MPI_STATUS_IGNORE);
    MPI_Send(out, 1, MPI_DOUBLE, MPI_PROC_NULL, 9, comm);
}

static void matched(MPI_Comm comm)
{
    char text[16] = "text";
    MPI_Message message;
    MPI_Request request;
    MPI_Isend(text, 16, MPI_CHAR, (rank + 1) % size, 10, comm, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, 10, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(text, 16, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent(MPI_Comm comm, int rounds)
{
    int out = 1, in;
    MPI_Request both[2];
    MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 11, comm, &both[0]);
    MPI_Recv_init(&in, 1, MPI_INT, (rank + size - 1) % size, 11, comm, &both[1]);
    for (int i = 0; i < rounds; i++) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

static void collectives(MPI_Comm comm, int members)
{
    int *many = calloc((size_t)members * 4, sizeof *many), one[4] = { rank }, sum[4];
    MPI_Request request;
    work(rank == 1 ? 2000 : 0);
    MPI_Barrier(comm);
    work(rank * 200);
    MPI_Allreduce(one, sum, 4, MPI_INT, MPI_SUM, comm);
    MPI_Bcast(one, 4, MPI_INT, members - 1, comm);
    MPI_Reduce(one, sum, 4, MPI_INT, MPI_SUM, 0, comm);
    MPI_Gather(one, 4, MPI_INT, many, 4, MPI_INT, 0, comm);
    MPI_Scatter(many, 4, MPI_INT, one, 4, MPI_INT, 0, comm);
    MPI_Allgather(one, 4, MPI_INT, many, 4, MPI_INT, comm);
    MPI_Alltoall(MPI_IN_PLACE, 4, MPI_INT, many, 4, MPI_INT, comm);
    MPI_Scan(one, sum, 4, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(one, sum, 4, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(many, sum, 4, MPI_INT, MPI_SUM, comm);
    MPI_Iallreduce(one, sum, 4, MPI_INT, MPI_SUM, comm, &request);
    work(rank * 100);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(many);
}

static void onesided(void)
{
    int *memory, value = 3;
    MPI_Win window;
    MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(&value, 1, MPI_INT, 0, 3, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
}

/* Rank 0 waits for rank 1, which opens its memory 2 ms late, and rank 1 for it. */
static void grouped(void)
{
    MPI_Group world, other;
    MPI_Win window;
    int memory[4], value = rank, peer = 1 - rank;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank < 2)
        MPI_Group_incl(world, 1, &peer, &other);
    work(rank == 1 ? 2000 : 0);
    if (rank == 1) {
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
    } else if (rank == 0) {
        MPI_Win_start(other, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        work(2000);
        MPI_Win_complete(window);
    }
    if (rank < 2)
        MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
}

/* A line of ranks, of which rank 1 is 2 ms late: its neighbours wait for it. */
static void neighbours(void)
{
    MPI_Comm line, graph;
    int periodic = 0, from = (rank + 1) % size, to = (rank + size - 1) % size, got[2];
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    work(rank == 1 ? 2000 : 0);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, line);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Barrier(MPI_COMM_WORLD);
    work(rank == 2 ? 2000 : 0);
    MPI_Neighbor_alltoall(&rank, 1, MPI_INT, got, 1, MPI_INT, graph);
    MPI_Comm_free(&line);
    MPI_Comm_free(&graph);
}

int main(int words, char **word)
{
    const int rounds = words > 1 ? atoi(word[1]) : 1;
    MPI_Comm half, self = MPI_COMM_SELF;
    int members;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_set_name(half, "halves");
    MPI_Comm_size(half, &members);
    for (int i = 0; i < rounds; i++) {
        MPI_Pcontrol(i % 2);
        messages(MPI_COMM_WORLD);
        collectives(MPI_COMM_WORLD, size);
        collectives(half, members);
    }
    matched(MPI_COMM_WORLD);
    persistent(MPI_COMM_WORLD, rounds);
    onesided();
    grouped();
    neighbours();
    MPI_Barrier(self);
    if (words > 2 && !strcmp(word[2], "die") && rank == 1)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
