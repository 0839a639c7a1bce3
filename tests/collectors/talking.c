/* Something to count and to sample: reductions, and messages around a ring. What the collector
 * calls at start and end is told by below.c. */
#include <mpi.h>

void calls_print(const char *when);
void calls_forget(void);

int main(int argc, char **argv)
{
    int rank, size, token = 0;
    double value = 1, sum;
    MPI_Init(&argc, &argv);
    calls_print("start");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 20; i++) {
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    calls_forget();
    MPI_Finalize();
    return 0;
}
