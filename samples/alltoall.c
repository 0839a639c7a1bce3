/* Fault: all ranks exchange blocks with all others in each step, as a Fourier transform over all
 * ranks does. Rules that must speak: alltoall-heavy; single-copy as well, when run with
 * OMPI_MCA_btl_vader_single_copy_mechanism=none (Open MPI 4). Cured by -DCURED: each rank has a
 * group of its own, as with k-point pools, which computes as much, and nothing is left to exchange.
 *
 * Usage: mpirun -np 2 ./alltoall [steps]     30011 steps take some seconds.
 * Counts on every rank: steps x Alltoall of 65536 bytes a partner (cured: on a communicator of one
 * rank), 1 x Comm_split. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 30011
#define BLOCK 65536

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    char *mine, *theirs;
    MPI_Comm group;
    int rank, size, members, groups = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef CURED
    groups = size;
#endif
    MPI_Comm_split(MPI_COMM_WORLD, rank % groups, rank, &group);
    MPI_Comm_size(group, &members);
    mine = calloc((size_t)size, BLOCK);
    theirs = calloc((size_t)size, BLOCK);
    for (int step = 0; step < steps; step++) {
        for (int byte = 0; byte < size * BLOCK; byte++) {
            mine[byte] = (char)(theirs[byte] + step);
        }
        MPI_Alltoall(mine, BLOCK, MPI_CHAR, theirs, BLOCK, MPI_CHAR, group);
    }
    if (rank == 0) {
        printf("%d steps among %d ranks, last byte %d\n", steps, members, theirs[0]);
    }
    free(mine);
    free(theirs);
    MPI_Comm_free(&group);
    MPI_Finalize();
    return 0;
}
