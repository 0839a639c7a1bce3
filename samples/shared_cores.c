/* Fault: every rank binds itself to the first core of its host, as a script does that gives all
 * ranks the same core. Rule that must speak: ranks-sharing-cores (on a machine with at least two
 * cores). Cured by -DCURED: every rank binds itself to a core of its own.
 *
 * Usage: mpirun -np 2 ./shared_cores [steps]     5003 steps take some seconds.
 * Counts on every rank: steps x Allreduce of one double. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 5003
#define TURNS 200003 /* turns of the loop that stands for work */

static int chosen_core(void)
{
#ifdef CURED
    const char *names[] = { "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                            "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID" };

    for (unsigned each = 0; each < sizeof names / sizeof *names; each++) {
        if (getenv(names[each])) {
            return atoi(getenv(names[each]));
        }
    }
#endif
    return 0;
}

static void bind_to(int wanted)
{
    cpu_set_t allowed, chosen;

    sched_getaffinity(0, sizeof allowed, &allowed);
    CPU_ZERO(&chosen);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
            CPU_SET(cpu, &chosen);
        }
    }
    if (CPU_COUNT(&chosen) == 1) {
        sched_setaffinity(0, sizeof chosen, &chosen);
    }
}

static double work(double value)
{
    for (int turn = 0; turn < TURNS; turn++) {
        value = value * 0.999999 + 1e-6;
    }
    return value;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    double value = 1.0, total = 0.0;
    int rank;

    bind_to(chosen_core());
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        value = work(value);
        MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("%d steps, total %g\n", steps, total);
    }
    MPI_Finalize();
    return 0;
}
