/* Touches PAGES fresh pages outside MPI in each of TURNS turns, and none inside. Usage: touch TURNS
 * PAGES */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static void compute(size_t pages)
{
    char *memory =
        mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; i++)
        memory[i * 4096] = 1;
    munmap(memory, pages * 4096);
}

int main(int count, char **words)
{
    double value = 1, sum;
    MPI_Init(&count, &words);
    for (int turn = 0; turn < atoi(words[1]); turn++) {
        compute((size_t)atoi(words[2]));
        MPI_Pcontrol(1 + turn % 2);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
