/* A program that uses MPI sessions only has no MPI_COMM_WORLD; its world is a process set of that
 * name. */
#include "world.h"
#include "job.h"
#include "communicators.h"

#if defined(HAS_SESSIONS)
/* Local; the standard says that every session has this process set. */
static MPI_Group world_of(MPI_Session session)
{
    MPI_Group world = MPI_GROUP_NULL;
    if (real.Group_from_session_pset(session, "mpi://WORLD", &world) != MPI_SUCCESS)
        return MPI_GROUP_NULL;
    real.Group_rank(world, &job.rank);
    real.Group_size(world, &job.size);
    return world;
}

static MPI_Group world; /* freed before the last session ends, as the standard asks */

void job_start_session(const MPI_Session *session)
{
    job.leader = 1;
    job.rank = -1;
    world = world_of(*session);
    record->rank.rank = job.rank;
    record->rank.ranks = job.size;
    communicators_start(job.rank, job.size, world, NULL);
}

void job_end_session(void)
{
    if (world != MPI_GROUP_NULL)
        real.Group_free(&world);
}
#endif
