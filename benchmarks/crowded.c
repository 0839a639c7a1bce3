/* Many ranks on few cores: when the last rank had left MPI_Init and the first one came to
 * MPI_Finalize (CLOCK_MONOTONIC, the same on all ranks of a host). Between the two, ROUNDS
 * reductions and a ring of messages, so that there is something to count. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 4 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int argc, char **argv)
{
    int rank, size, token = 0;
    double value = 1, sum = 0, begun, last, first, ends;

    MPI_Init(&argc, &argv);
    begun = now();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Reduce(&begun, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    ends = now();
    MPI_Reduce(&ends, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("sum %g begun %.6f ends %.6f\n", sum, last, first);
    }
    MPI_Finalize();
    return 0;
}
