/* Three ranks that wait for each other in ways of which a trace has its own records. Rank 1 comes
 * 20 ms late. */
#include <mpi.h>
#include <unistd.h>

static int rank, value[4];
static MPI_Win window;

static void work(int who, int milliseconds)
{
    if (rank == who)
        usleep(1000u * (unsigned)milliseconds);
}

static void groups(void)
{
    MPI_Group world, peer;
    int other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank < 2)
        MPI_Group_incl(world, 1, &other, &peer);
    work(1, 20);
    if (rank == 1) {
        MPI_Win_post(peer, 0, window);
        MPI_Win_wait(window);
    } else if (rank == 0) {
        MPI_Win_start(peer, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        usleep(10000);
        MPI_Win_complete(window);
    }
    if (rank < 2)
        MPI_Group_free(&peer);
    MPI_Group_free(&world);
}

static void locks(void)
{
    if (rank == 2)
        usleep(5000);
    if (rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        usleep(20000);
        MPI_Win_unlock(0, window);
    }
}

int main(int count, char **words)
{
    MPI_Comm ring;
    MPI_Request request;
    int size, sum, around[2], periodic = 1;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(value, sizeof value, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    work(1, 20);
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, window);
    groups();
    MPI_Barrier(MPI_COMM_WORLD);
    locks();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    work(1, 20);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, ring);
    work(1, 20);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    work(1, 20);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
