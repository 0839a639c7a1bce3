/* accident HOW [RANK [TEXT]]: some calls that a test can count, then rank RANK (1; -1: all) has the
 * accident HOW. All others go on to a barrier, where they wait for it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;
static const char *text;

static void work(void)
{
    int one = 1, sum = 0;
    for (int i = 0; i < 13; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 7; i++)
        MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_SELF);
    if (rank == 0)
        printf("sum %d\n", sum);
    fflush(stdout);
}

/* `who` goes on when all others have done their work: a rank that has left a collective call knows
 * nothing of the others. */
static void meet(int who)
{
    if (rank != who && who >= 0)
        MPI_Send(NULL, 0, MPI_INT, who, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size - 1 && rank == who; i++)
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void hang(void)
{
    fprintf(stderr, "waiting %d\n", (int)getpid());
    for (;;)
        pause();
}

/* Until no byte more fits on the file system that `text` is on. */
static void fill(void)
{
    char page[4096];
    int file = open(text, O_WRONLY | O_CREAT, 0600);
    memset(page, 1, sizeof page);
    for (size_t size = sizeof page; size; size /= 2)
        while (write(file, page, size) > 0) {
        }
    close(file);
}

static void children(void)
{
    char line[64] = "";
    int status = 0;
    pid_t child = fork();
    if (!child)
        exit(system("exit 4") == 4 << 8 ? 6 : 1); /* with all that exit() runs */
    waitpid(child, &status, 0);
    if (!(child = fork()))
        _exit(8);
    waitpid(child, NULL, 0);
    FILE *pipe = popen("echo from a child", "r");
    if (!fgets(line, sizeof line, pipe))
        line[0] = 0;
    printf("%d %d %s", WEXITSTATUS(status), WEXITSTATUS(pclose(pipe)), line);
}

/* For about a second. */
static void busy(void)
{
    int one = 1, sum;
    for (int i = 0; i < 200; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        usleep(5000);
    }
}

static void happen(const char *how)
{
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "fault")) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    if (!strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 4);
    if (!strcmp(how, "exit"))
        exit(3);
    if (!strcmp(how, "_exit"))
        _exit(3);
    if (!strcmp(how, "hang"))
        hang();
    if (!strcmp(how, "busy"))
        busy();
    if (!strcmp(how, "fill"))
        fill();
    if (!strcmp(how, "system") && system(text))
        printf("system failed\n");
    if (!strcmp(how, "children"))
        children();
    fflush(stdout);
}

int main(int words, char **word)
{
    const char *how = words > 1 ? word[1] : "nothing";
    const int who = words > 2 ? atoi(word[2]) : 1;
    text = words > 3 ? word[3] : "";
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    work();
    meet(who);
    if (!strcmp(how, "late") && rank == who)
        sleep(2);
    if (!strcmp(how, "never") && rank == who)
        hang();
    if (strcmp(how, "late") && strcmp(how, "never")) {
        if (rank == who || who < 0)
            happen(how);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
