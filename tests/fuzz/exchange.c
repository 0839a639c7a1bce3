/* A communicator with a name of the caller's choice, and some calls on it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm own;
    int one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_set_name(own, argc > 1 ? argv[argc - 1] : "own");
    for (int i = 0; i < 100; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, own);
    MPI_Comm_free(&own);
    printf("sum %d\n", sum);
    MPI_Finalize();
    return sum < 1;
}
