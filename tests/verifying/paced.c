/* A program whose time is known: it sleeps PACE_MS milliseconds (default 200) between MPI_Init and
 * MPI_Finalize, and prints how long that was. EXTRA_MS: so much more. EXIT_CODE: how it ends.
 * ANSWER: what it prints as its result (default 42). HANG: it never ends. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double begin = MPI_Wtime();
    usleep(1000 * (number("PACE_MS", 200) + number("EXTRA_MS", 0)));
    if (rank == 0) {
        printf("Loop time of %.6f on %d procs\nanswer %d\n", MPI_Wtime() - begin, size,
               number("ANSWER", 42));
    }
    while (number("HANG", 0)) {
        sleep(1);
    }
    MPI_Finalize();
    return number("EXIT_CODE", 0);
}
