/* Fault: a rank that is bound to one core computes with two threads, as with Open MPI's default for
 * jobs of two ranks. Rule that must speak, when run with OMP_NUM_THREADS=2: threads-share-cores.
 * Cured by -DCURED: the rank may use all cores.
 *
 * Usage: OMP_NUM_THREADS=2 mpirun -np 1 ./threads_one_core [steps]     1009 steps take about 20 s,
 * cured 11 s. Counts on every rank: steps x Allreduce of one double. Compile with -pthread. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 1009
#define TURNS 3000017 /* turns of the loop that stands for work */

static pthread_barrier_t begin, end;

static double work(double value)
{
    for (int turn = 0; turn < TURNS; turn++) {
        value = value * 0.999999 + 1e-6;
    }
    return value;
}

static void *second_thread(void *steps)
{
    volatile double value = 1.0;

    for (int step = 0; step < *(int *)steps; step++) {
        pthread_barrier_wait(&begin);
        value = work(value);
        pthread_barrier_wait(&end);
    }
    pthread_barrier_wait(&begin); /* stays until MPI has ended, as a pool of threads does */
    return NULL;
}

static void bind(void)
{
#ifndef CURED
    cpu_set_t allowed, first;
    int cpu = 0;

    sched_getaffinity(0, sizeof allowed, &allowed);
    while (!CPU_ISSET(cpu, &allowed)) {
        cpu++;
    }
    CPU_ZERO(&first);
    CPU_SET(cpu, &first);
    sched_setaffinity(0, sizeof first, &first);
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    volatile double value = 1.0;
    double mine = 1.0, total = 0.0;
    pthread_t second;
    int provided;

    bind();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    pthread_barrier_init(&begin, NULL, 2);
    pthread_barrier_init(&end, NULL, 2);
    pthread_create(&second, NULL, second_thread, &steps);
    for (int step = 0; step < steps; step++) {
        pthread_barrier_wait(&begin);
        value = work(value);
        pthread_barrier_wait(&end);
        MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("%d steps, value %g, total %g\n", steps, value, total);
    MPI_Finalize();
    pthread_barrier_wait(&begin);
    pthread_join(second, NULL);
    return 0;
}
