/* Two ranks send a message to and fro, and rank 0 prints the time of the fastest of many short
 * batches: a figure that other load of the host hardly reaches.
 *
 * Usage: mpirun -np 2 ./ping_pong [bytes [batches [turns]]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 8, batches = argc > 2 ? atoi(argv[2]) : 2000,
        turns = argc > 3 ? atoi(argv[3]) : 20;
    int rank, other;
    double best = 1e9;
    char *data = calloc(size, 1);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = rank ^ 1;
    for (int batch = 0; batch < batches; batch++) {
        double begin = MPI_Wtime(), took;
        for (int turn = 0; turn < turns; turn++) {
            if (rank == 0) {
                MPI_Send(data, size, MPI_CHAR, other, 0, MPI_COMM_WORLD);
                MPI_Recv(data, size, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(data, size, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(data, size, MPI_CHAR, other, 0, MPI_COMM_WORLD);
            }
        }
        took = MPI_Wtime() - begin;
        best = took < best ? took : best;
    }
    if (rank == 0) {
        printf("fastest batch: %.9f s\n", best);
    }
    MPI_Finalize();
    free(data);
    return 0;
}
