/* Sessions only, no MPI_Init: some calls, then an orderly end, or "leave": exit with the session
 * open. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int words, char **word)
{
    int one = 1, sum = 0, rank;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < 11; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0)
        printf("sum %d\n", sum);
    fflush(stdout);
    if (words > 1 && !strcmp(word[1], "leave"))
        exit(0);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
