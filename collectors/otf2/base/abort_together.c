#include "abort.h"
#include <mpi.h>
#include <stdlib.h>

void group_abort(void)
{
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}
