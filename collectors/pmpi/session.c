/* A program that uses MPI sessions only has no MPI_COMM_WORLD; its world is a process set of that name. */
#include "lifecycle.h"
#include "communicators.h"

void job_start_session(void)
{
    MPI_Group world = MPI_GROUP_NULL;
    job.leader = 1;
    job.rank = -1;
    record->rank.rank = job.rank;
    record->rank.ranks = job.size;
    communicators_start(job.rank, job.size, world, NULL);
}
