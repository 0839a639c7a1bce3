/* Faults, chosen by the second argument:
 *   collect  rank 0 gathers blocks of 1 MiB and writes them alone: rank-0-collects-everything,
 * one-rank-does-the-io drive    rank 0 tells in every step what comes next: root-driven-loop blocks
 * all write a block of 1 MiB in every step, together: collective-io-heavy Cured by -DCURED:
 * collect: every 11th block, written together; drive: agreed in every 101st step; blocks: written
 * in every 11th step.
 *
 * Usage: mpirun -np 2 ./root_habits [steps] [collect|drive|blocks]     The file root_habits.out of
 * the working folder is written over and over. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 211
#define BLOCK (1 << 20)
#ifdef CURED
#define CURE 1
#else
#define CURE 0
#endif

static char *mine, *all;
static int rank, size;
static MPI_File file;

static void write_together(int step)
{
    memset(mine, step, BLOCK);
    MPI_File_write_at_all(file, (MPI_Offset)rank * BLOCK, mine, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void collect(int step)
{
    if (CURE) {
        if (step % 11 == 0) {
            write_together(step);
        }
        return;
    }
    memset(mine, step, BLOCK);
    MPI_Gather(mine, BLOCK, MPI_BYTE, all, BLOCK, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_File_write_at(file, 0, all, BLOCK * size, MPI_BYTE, MPI_STATUS_IGNORE);
    }
}

static void drive(int step)
{
    double order = step, sum;
    if (!CURE) {
        MPI_Bcast(&order, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    } else if (step % 101 == 0) {
        MPI_Allreduce(&order, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
}

static void blocks(int step)
{
    if (!CURE || step % 11 == 0) {
        write_together(step);
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    const char *pattern = argc > 2 ? argv[2] : "collect";
    void (*step_of)(int) = !strcmp(pattern, "drive")    ? drive
                           : !strcmp(pattern, "blocks") ? blocks
                                                        : collect;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = malloc(BLOCK);
    all = malloc((size_t)BLOCK * size);
    MPI_File_open(MPI_COMM_WORLD, "root_habits.out", MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &file);
    for (int step = 0; step < steps; step++) {
        step_of(step);
    }
    MPI_File_close(&file);
    if (rank == 0) {
        printf("%d steps of %s\n", steps, pattern);
    }
    free(mine);
    free(all);
    MPI_Finalize();
    return 0;
}
