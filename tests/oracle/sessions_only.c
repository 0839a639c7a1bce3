/* A program of sessions only: no MPI_Init, no MPI_COMM_WORLD. Counted from the first session to the
 * end of the last. */
#include "oracle.h"

static int where(MPI_Comm comm)
{
    PLAIN(Comm_rank, 1, comm, &rank);
    PLAIN(Comm_size, 1, comm, &size);
    return rank;
}

int main(void)
{
    int one = 1, sum = 0;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    OUTSIDE(Session_init, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    PLAIN(Group_from_session_pset, 1, session, "mpi://WORLD", &group);
    PLAIN(Comm_create_from_group, 1, group, "sessions_only", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
          &comm);
    PLAIN(Group_free, 1, &group);
    where(comm);
    CALL(Allreduce, 7, sizeof(int), &one, &sum, 1, MPI_INT, MPI_SUM, comm);
    VERIFY(sum == size);
    CALL(Sendrecv, 3, sizeof(int), &one, 1, MPI_INT, rank ^ 1, 1, &sum, 1, MPI_INT, rank ^ 1, 1,
         comm, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("sessions only, %d ranks\n", size);
    PLAIN(Comm_free, 1, &comm);
    OUTSIDE(Session_finalize, &session);
    oracle_write();
    return 0;
}
