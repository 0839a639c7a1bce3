#define _GNU_SOURCE
#include "library.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct library real;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *handle; /* of a library that dlopen loaded, which RTLD_NEXT does not see */

static int holds_mpi(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    if (!info->dlpi_name || !*info->dlpi_name)
        return 0;
    void *candidate = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
    void *function = candidate ? dlsym(candidate, "PMPI_Comm_rank") : NULL;
    Dl_info where;
    /* dlsym also looks into what a library needs: only the one that defines it counts. What all see
     * is a profiler in front of us. */
    if (function && function != dlsym(RTLD_DEFAULT, "PMPI_Comm_rank") && dladdr(function, &where) &&
        where.dli_fbase == (void *)info->dlpi_addr) {
        *(void **)found = candidate;
        return 1;
    }
    if (candidate)
        dlclose(candidate);
    return 0;
}

static void *symbol(const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);
    return next || !handle ? next : dlsym(handle, name);
}

/* The linker may have put an object into the program itself (copy relocation): the first in the
 * search order counts. */
static inline void *object(const char *name)
{
    void *first = dlsym(RTLD_DEFAULT, name);
    return first ? first : symbol(name);
}

#if defined(OPEN_MPI)
#define OBJECT(type, name, constant) ((type)object("ompi_mpi_" name))
#else
#define OBJECT(type, name, constant) ((void)object, constant)
#endif

static void *found(const char *name)
{
    void *function = symbol(name);
    if (!function) {
        /* We were called in place of a function that is nowhere: no call can go on. */
        fprintf(stderr, "advisor-endpoints: no %s in this process\n", name);
        abort();
    }
    return function;
}

static void find(void)
{
    if (!dlsym(RTLD_NEXT, "PMPI_Comm_rank"))
        dl_iterate_phdr(holds_mpi, &handle);
#define FIND(name) *(void **)&real.name = found("PMPI_" #name);
    CALLS(FIND)
#undef FIND
}

const struct library *library(void)
{
    pthread_once(&once, find);
    return &real;
}

MPI_Comm world(void)
{
    return OBJECT(MPI_Comm, "comm_world", MPI_COMM_WORLD);
}
MPI_Op minimum(void)
{
    return OBJECT(MPI_Op, "op_min", MPI_MIN);
}
MPI_Datatype long_integer(void)
{
    return OBJECT(MPI_Datatype, "long", MPI_LONG);
}
MPI_Errhandler errors_return(void)
{
    return OBJECT(MPI_Errhandler, "errors_return", MPI_ERRORS_RETURN);
}

int is_predefined(MPI_Op op)
{
    const MPI_Op known[] = {
        OBJECT(MPI_Op, "op_sum", MPI_SUM),       OBJECT(MPI_Op, "op_max", MPI_MAX),
        OBJECT(MPI_Op, "op_min", MPI_MIN),       OBJECT(MPI_Op, "op_prod", MPI_PROD),
        OBJECT(MPI_Op, "op_land", MPI_LAND),     OBJECT(MPI_Op, "op_band", MPI_BAND),
        OBJECT(MPI_Op, "op_lor", MPI_LOR),       OBJECT(MPI_Op, "op_bor", MPI_BOR),
        OBJECT(MPI_Op, "op_lxor", MPI_LXOR),     OBJECT(MPI_Op, "op_bxor", MPI_BXOR),
        OBJECT(MPI_Op, "op_maxloc", MPI_MAXLOC), OBJECT(MPI_Op, "op_minloc", MPI_MINLOC),
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (op == known[i])
            return 1;
    return 0;
}
