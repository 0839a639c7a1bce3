/* ended WORD …: runs a program and says when it had ended, and what it took. Some tools write their
 * report after MPI_Finalize, when the process exits, which the program itself cannot time. Exit
 * code: that of the program. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

int main(int argc, char **argv)
{
    struct timespec time;
    struct rusage used;
    pid_t child;
    int status;
    if (argc < 2 || posix_spawnp(&child, argv[1], NULL, NULL, argv + 1, environ) ||
        wait4(child, &status, 0, &used) < 0)
        return 127;
    clock_gettime(CLOCK_MONOTONIC, &time);
    printf("ended %.6f maxrss %ld\n", (double)time.tv_sec + 1e-9 * (double)time.tv_nsec,
           used.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
