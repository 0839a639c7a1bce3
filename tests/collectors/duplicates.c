/* duplicates NUMBER: that many communicators are made and freed, every other one without blocking.
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < atoi(argv[1]); i++) {
        MPI_Comm made;
        MPI_Request request;
        if (i % 2) {
            MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Comm_dup(MPI_COMM_WORLD, &made);
        }
        MPI_Comm_free(&made);
    }
    MPI_Finalize();
    return 0;
}
