/* Some calls, then an end: finalize, code (5 after finalize), exit, kill, fault, abort. "system":
 * starts a shell in between. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int words, char **word)
{
    const char *how = words > 1 ? word[1] : "finalize";
    int rank, one = 1, sum;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 13; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 7; i++)
        MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_SELF);
    if (!strcmp(how, "system") && system("test -r /proc/self/maps && true"))
        return 9;
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "fault")) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    if (!strcmp(how, "exit"))
        exit(3);
    if (!strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 4);
    if (!strcmp(how, "fork") && !fork())
        _exit(0);
    MPI_Finalize();
    if (rank == 0)
        printf("sum %d\n", sum);
    return !strcmp(how, "code") ? 5 : 0;
}
