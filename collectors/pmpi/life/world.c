/* The job as MPI_Init has made it: which ranks there are, and whether they may talk to each other
 * for us. */
#include "world.h"
#include "job.h"
#include "launch.h"
#include "hosts.h"
#include "communicators.h"
#include "rendezvous.h"
#include "settings.h"
#include "spool.h"
#include "clocks.h"
#include <stdlib.h>

int job_is_spawned(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    return real.Comm_get_parent && real.Comm_get_parent(&parent) == MPI_SUCCESS &&
           parent != MPI_COMM_NULL;
}

void job_start(void)
{
    MPI_Group world;
    real.Comm_rank(MPI_COMM_WORLD, &job.rank);
    real.Comm_size(MPI_COMM_WORLD, &job.size);
    real.Comm_group(MPI_COMM_WORLD, &world);
    job.leader = 1;
    job.crowded = hosts_are_crowded(launch_local_size());
    job.talks =
        setting_keeps() && rendezvous_complete(job.rank, job.size) && job_open() == MPI_SUCCESS;
    if (!job.talks && job.rank == 0)
        spool_tell_missing("apart");
    if (job.talks) {
        real.Comm_set_errhandler(job.comm, MPI_ERRORS_RETURN);
        hosts_find();
    } else if (launch_is_on_one_host(job.size)) {
        job.node_of = calloc((size_t)job.size, sizeof *job.node_of);
    }
    record->rank.rank = job.rank;
    record->rank.ranks = job.size;
    record->rank.node = job.node_of ? job.node : -1;
    communicators_start(job.rank, job.size, world, job.node_of);
    communicator_meet(MPI_COMM_WORLD);
    communicator_meet(MPI_COMM_SELF);
    if (job.talks)
        clocks_compare(0);
}
