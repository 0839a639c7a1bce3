/* No fault: no rule may speak, but for notes.
 *
 * Usage: mpirun -np 2 ./healthy [steps] [halo|sums|puts|all]     1009 steps take about 11 s.
 * Counts on every rank and step: halo: 2 Isend, 2 Irecv of 96 KiB, 1 Waitall; sums: 1 Allreduce of
 * 64 doubles; puts: 2 Put of 96 KiB and 2 Win_flush in one epoch of passive target for all steps.
 * In every 11th step all agree on the residual: 1 Allreduce of one double. The work is done asleep,
 * so that the program shows the same picture on a machine with fewer cores than ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS 1009
#define WIDTH 12288 /* doubles of a halo */
#define SUMS  64
#define AGREE 11
#define WORK  10000000 /* nanoseconds of a step */

struct field {
    int rank, size;
    double *mine, *theirs; /* two halos each: to the left and to the right */
    MPI_Win window;        /* over theirs */
};

static void work(void)
{
    struct timespec left = { 0, WORK };

    while (nanosleep(&left, &left) != 0) {
    }
}

static int neighbour(const struct field *field, int side)
{
    return (field->rank + (side ? 1 : field->size - 1)) % field->size;
}

static void halo(struct field *field)
{
    MPI_Request requests[4];

    for (int side = 0; side < 2; side++) {
        MPI_Irecv(field->theirs + side * WIDTH, WIDTH, MPI_DOUBLE, neighbour(field, side), 1 - side,
                  MPI_COMM_WORLD, &requests[side]);
    }
    for (int side = 0; side < 2; side++) {
        MPI_Isend(field->mine + side * WIDTH, WIDTH, MPI_DOUBLE, neighbour(field, side), side,
                  MPI_COMM_WORLD, &requests[2 + side]);
    }
    work();
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void sums(struct field *field)
{
    work();
    MPI_Allreduce(field->mine, field->theirs, SUMS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void puts_to_neighbours(struct field *field)
{
    work();
    for (int side = 0; side < 2; side++) {
        MPI_Put(field->mine + side * WIDTH, WIDTH, MPI_DOUBLE, neighbour(field, side),
                (1 - side) * WIDTH, WIDTH, MPI_DOUBLE, field->window);
    }
    for (int side = 0; side < 2; side++) {
        MPI_Win_flush(neighbour(field, side), field->window);
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    const char *pattern = argc > 2 ? argv[2] : "all";
    struct {
        const char *name;
        void (*step)(struct field *);
    } patterns[] = { { "halo", halo }, { "sums", sums }, { "puts", puts_to_neighbours } };
    struct field field;
    double residual = 1, total = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &field.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &field.size);
    field.mine = calloc(2 * WIDTH, sizeof *field.mine);
    MPI_Win_allocate(2 * WIDTH * sizeof *field.theirs, sizeof *field.theirs, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &field.theirs, &field.window);
    MPI_Win_lock_all(0, field.window);
    for (int step = 0; step < steps; step++) {
        int which = step * 3 / steps;
        for (int other = 0; other < 3; other++) {
            if (strcmp(pattern, "all") ? !strcmp(pattern, patterns[other].name) : other == which) {
                patterns[other].step(&field);
            }
        }
        if (step % AGREE == 0) {
            MPI_Allreduce(&residual, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    }
    MPI_Win_unlock_all(field.window);
    if (field.rank == 0) {
        printf("%d steps, residual %g\n", steps, total);
    }
    MPI_Win_free(&field.window);
    free(field.mine);
    MPI_Finalize();
    return 0;
}
