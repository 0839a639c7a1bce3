/* How long MPI_Finalize takes after CALLS reductions and a ring of messages. Each rank prints its
 * seconds, when they began (CLOCK_MONOTONIC), the memory of the process just before, in KiB, and
 * how many pages it touched for the first time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

/* Of one line of the kernel's sums over all mappings; -1 where it has none. */
static long kib(const char *name)
{
    char line[256];
    long value = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)))
            value = atol(line + strlen(name));
    if (file)
        fclose(file);
    return value;
}

static long page_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 1000, rank, size, token = 0;
    double value = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < calls; i++) {
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &token, 1, MPI_INT,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    const long resident = kib("Rss:"), proportional = kib("Pss:");
    MPI_Barrier(MPI_COMM_WORLD);
    const long faults = page_faults();
    double begin = now();
    MPI_Finalize();
    printf("finalize %.6f begin %.6f rss %ld pss %ld faults %ld\n", now() - begin, begin, resident,
           proportional, page_faults() - faults);
    return 0;
}
