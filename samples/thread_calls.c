/* Fault: a second thread calls MPI, and the program asked for MPI_THREAD_FUNNELED.
 * Rule that must speak: thread-level-too-low.
 * Cured by -DCURED: MPI_THREAD_SERIALIZED, which is what it does: the threads call in turns.
 *
 * Usage: mpirun -np 2 ./thread_calls [steps]     steps x Allreduce of one double by each of two
 * threads. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 1009
#ifdef CURED
#define LEVEL MPI_THREAD_SERIALIZED
#else
#define LEVEL MPI_THREAD_FUNNELED
#endif

static int steps = STEPS;

static void *sums(void *nothing)
{
    double one = 1, total = 0;
    for (int step = 0; step < steps; step++) {
        MPI_Allreduce(&one, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return nothing;
}

int main(int argc, char **argv)
{
    int given;
    pthread_t thread;

    steps = argc > 1 ? atoi(argv[1]) : STEPS;
    MPI_Init_thread(&argc, &argv, LEVEL, &given);
    sums(NULL);
    if (pthread_create(&thread, NULL, sums, NULL) == 0) {
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
