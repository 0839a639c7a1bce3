/* MPI_Isendrecv and MPI_Isendrecv_replace around a ring of ranks, of which rank 1 comes 5 ms late;
 * one to and one from nobody, and one message each way beside them. */
#include <mpi.h>
#include <unistd.h>

int main(int words, char **word)
{
    int rank, size, sent[4] = { 0 }, got[4], both[7] = { 0 };
    MPI_Request requests[2];
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < 3; i++) {
        usleep(rank == 1 ? 5000 : 0);
        MPI_Isendrecv(sent, 4, MPI_INT, next, 5, got, 4, MPI_INT, before, 5, MPI_COMM_WORLD,
                      &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Isendrecv_replace(both, 7, MPI_INT, next, 6, before, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Isendrecv(sent, 2, MPI_INT, rank + 1 < size ? next : MPI_PROC_NULL, 7, got, 2, MPI_INT,
                  rank ? before : MPI_PROC_NULL, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(sent, 1, MPI_INT, next, 5, got, 1, MPI_INT, before, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
