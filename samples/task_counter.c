/* Fault: ranks take tasks from a counter that rank 0 holds, and rank 0 computes too: the others
 * wait until it calls MPI. Rule that must speak: target-without-progress. Cured by -DCURED: whoever
 * computes looks for messages meanwhile (MPI_Iprobe), so that the library can answer.
 *
 * Usage: mpirun -np 2 ./task_counter [tasks [clock]]     401 tasks take some seconds.
 * With `clock`, rank 0 prints for how many seconds all ranks together were in MPI_Fetch_and_op and
 * MPI_Win_flush by their own clocks. Counts of all ranks: tasks + ranks x both of them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define TASKS  401
#define PIECES 100
#define ROUNDS 15000

/* MPICH 4.0.2 of Debian (ch4:ucx) rounds the address down to 16 bytes. */
static _Alignas(16) long counter;

static double piece(double value)
{
    for (int round = 0; round < ROUNDS; round++) {
        value = value * 0.999999 + 1.0 / (1.0 + value * value);
    }
    return value;
}

static double task(double value)
{
    for (int i = 0; i < PIECES; i++) {
        value = piece(value);
#ifdef CURED
        int found;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
#endif
    }
    return value;
}

static long next_task(MPI_Win window, double *inside)
{
    long one = 1, number;
    double begin = MPI_Wtime();

    MPI_Fetch_and_op(&one, &number, MPI_LONG, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    *inside += MPI_Wtime() - begin;
    return number;
}

int main(int argc, char **argv)
{
    int tasks = argc > 1 ? atoi(argv[1]) : TASKS;
    double value = 1.0, inside = 0.0, all;
    MPI_Win window;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(&counter, rank ? 0 : sizeof counter, sizeof counter, MPI_INFO_NULL,
                   MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    while (next_task(window, &inside) < tasks) {
        value = task(value);
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%ld tasks, all above 0: %s\n", counter - size, value > 0 ? "yes" : "no");
        fflush(stdout);
    }
    if (argc > 2) {
        MPI_Reduce(&inside, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0) {
            printf("%.6f\n", all);
        }
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
