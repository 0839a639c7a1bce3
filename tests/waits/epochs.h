/* Epochs of groups, of a window of all ranks: each rank's begins or ends with its neighbours'. For
 * partners.c, which has the ranks and the times. */
#ifndef ADVISOR_EPOCHS_H
#define ADVISOR_EPOCHS_H

static double memory[4];
static MPI_Win window;
static MPI_Group before, after; /* the rank on the left, and on the right */

static void prepare_epochs(void)
{
    MPI_Group everybody;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    MPI_Group_incl(everybody, 1, &left, &before);
    MPI_Group_incl(everybody, 1, &right, &after);
}

/* Odd ranks compute before they put into even ones, which wait for their complete. */
static void exposed(long k, double *times)
{
    if (rank % 2) {
        MPI_Win_start(before, 0, window);
        compute_some(k);
        MPI_Put(out, 1, MPI_DOUBLE, left, 0, 1, MPI_DOUBLE, window);
        times[CAME] = times[ENTER] = now();
        MPI_Win_complete(window);
        return;
    }
    MPI_Win_post(after, 0, window);
    times[CAME] = times[ENTER] = now();
    MPI_Win_wait(window);
}

/* Even ranks put into odd ones, which post late: in start or complete they wait for the post. */
static void late_post(long k, double *times)
{
    compute_some(k);
    times[CAME] = times[ENTER] = now();
    if (rank % 2) {
        MPI_Win_post(before, 0, window);
        times[EXIT] = now();
        MPI_Win_wait(window);
        return;
    }
    MPI_Win_start(after, 0, window);
    MPI_Put(out, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, window);
    MPI_Win_complete(window);
}

#endif
