/* What plugin_host.c opens: the part of a program that needs MPI. */
#include <mpi.h>
#include <stdio.h>

int part(void)
{
    int one = 1, sum = 0, rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 13; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", sum);
    return MPI_Finalize();
}
