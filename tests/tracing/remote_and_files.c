/* One-sided operations and what completes them, files, and neighbourhood calls that go on in the
 * background. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static int rank, size;

static void work(int microseconds)
{
    nanosleep(&(struct timespec){ 0, microseconds * 1000L }, NULL);
}

static void remote(void)
{
    int *memory, value = rank, next = (rank + 1) % size;
    MPI_Win window;
    MPI_Request request;
    MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock_all(0, window);
    MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, window);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(next, window);
    MPI_Win_flush_local_all(window);
    MPI_Rput(&value, 1, MPI_INT, next, 3, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(window);
    MPI_Rget(&value, 1, MPI_INT, next, 3, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
    MPI_Get(&value, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Win_flush_local(next, window);
    MPI_Win_unlock(next, window);
    MPI_Win_free(&window);
}

static void file(const char *name)
{
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    double data[8] = { 0 };
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 64 * rank, data, 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at_all(file, 64 * ((rank + 1) % size), data, 8, MPI_DOUBLE, &status);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read(file, data, 4, MPI_DOUBLE, &status);
    MPI_File_iwrite_at(file, 64 * rank, data, 6, MPI_DOUBLE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, 64 * rank, data, 5, MPI_DOUBLE);
    MPI_File_write_at_all_end(file, data, &status);
    /* Behind the end there is nothing: less is read than was asked for. */
    MPI_File_read_at(file, 64 * size - 8, data, 8, MPI_DOUBLE, &status);
    MPI_File_close(&file);
}

/* A line of ranks: rank 1 is 2 ms late. */
static void neighbours(void)
{
    MPI_Comm line;
    MPI_Request request;
    int periodic = 0, got[2];
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    work(rank == 1 ? 2000 : 0);
    MPI_Ineighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
#if MPI_VERSION >= 4
    int sum;
    MPI_Request both[2];
    MPI_Neighbor_alltoall_init(got, 1, MPI_INT, got + 1, 0, MPI_INT, line, MPI_INFO_NULL, &both[0]);
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, line, MPI_INFO_NULL, &both[1]);
    for (int i = 0; i < 3; i++) {
        work(rank == 1 ? 1000 : 0);
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
#endif
    MPI_Comm_free(&line);
}

int main(int words, char **word)
{
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    remote();
    file(word[1]);
    neighbours();
    MPI_Finalize();
    return 0;
}
