/* Sessions only: there is no MPI_COMM_WORLD. Rank 0 is 2 ms late with its message. */
#include <mpi.h>
#include <time.h>

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, size, one = 1, sum;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0) {
        nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
        MPI_Send(&one, 1, MPI_INT, size - 1, 5, comm);
    } else if (rank == size - 1)
        MPI_Recv(&one, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
