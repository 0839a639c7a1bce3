/* A profiling tool as users have them: counts MPI_Allreduce by PMPI, and says on stderr how many it
 * saw. */
#include <mpi.h>
#include <stdio.h>

static int seen;

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    seen++;
    return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Finalize(void)
{
    fprintf(stderr, "tool: %d\n", seen);
    return PMPI_Finalize();
}
