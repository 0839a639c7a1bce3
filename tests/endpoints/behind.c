/* Stands behind the library under test and counts what it asks MPI for: one line a rank. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static long reductions, created, freed;

int PMPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm)
{
    __typeof__(&PMPI_Allreduce) next =
        (__typeof__(&PMPI_Allreduce))dlsym(RTLD_NEXT, "PMPI_Allreduce");
    __sync_fetch_and_add(&reductions, 1);
    return next(send, receive, count, type, op, comm);
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *new)
{
    __typeof__(&PMPI_Comm_create) next =
        (__typeof__(&PMPI_Comm_create))dlsym(RTLD_NEXT, "PMPI_Comm_create");
    __sync_fetch_and_add(&created, 1);
    return next(comm, group, new);
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    __typeof__(&PMPI_Comm_free) next =
        (__typeof__(&PMPI_Comm_free))dlsym(RTLD_NEXT, "PMPI_Comm_free");
    __sync_fetch_and_add(&freed, 1);
    return next(comm);
}

/* Who defines PMPI_Init is taken for an MPI library, and stands behind the profiler. */
int PMPI_Init(int *argc, char ***argv)
{
    __typeof__(&PMPI_Init) next = (__typeof__(&PMPI_Init))dlsym(RTLD_NEXT, "PMPI_Init");
    return next(argc, argv);
}

int PMPI_Finalize(void)
{
    __typeof__(&PMPI_Finalize) next = (__typeof__(&PMPI_Finalize))dlsym(RTLD_NEXT, "PMPI_Finalize");
    printf("asked for %ld reductions, made %ld communicators, freed %ld\n", reductions, created,
           freed);
    fflush(stdout);
    return next();
}
