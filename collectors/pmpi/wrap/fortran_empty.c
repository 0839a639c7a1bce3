/* Completing calls on no request at all, in Fortran under Open MPI: its layer returns at once
 * there, and never calls C (ompi/mpi/fortran/mpif-h/waitall_f.c and five others, in versions 4 and
 * 5). They are counted here; with requests they are handed on as they came, by a jump, so that the
 * layer finds its caller where it was. The mpi_f08 layer calls ompi_…_f. Each name goes on to the
 * same name of whoever is next: that may be another tool. */
#define _GNU_SOURCE
#include "calls.h"
#include "tracing.h"

#if defined(OPEN_MPI)
#include <dlfcn.h>
#include <link.h>
#include <string.h>

static int find_layer(struct dl_phdr_info *info, size_t size, void *handle)
{
    (void)size;
    if (strstr(info->dlpi_name, "/libmpi_mpifh"))
        *(void **)handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return *(void **)handle != NULL;
}

/* A layer that came with a module of Python, say, is not behind us in the order of the linker. */
static void *next_of(const char *name)
{
    void *found = library_symbol(name), *layer = NULL;
    if (!found)
        dl_iterate_phdr(find_layer, &layer);
    return layer ? dlsym(layer, name) : found;
}

static struct block *begin(const void *caller)
{
    struct block *block = current ? current : call_begin_slow(caller);
    if (block) {
        current = NULL;
        event_begin(block);
    }
    return block;
}

static void end(struct block *block, unsigned operation, const void *caller)
{
    if (!block)
        return;
    block->last = clock_ticks();
    call_count(block, operation, caller, CLASS_NONE);
    trace_call(block, operation, caller);
}

#define NAME(name, operation, parameters, arguments) \
    EXPORT void name parameters                      \
    {                                                \
        static void(*next) parameters;               \
        if (!unlikely(!next || !*count)) {           \
            next arguments; /* a jump */             \
            return;                                  \
        }                                            \
        if (!next)                                   \
            *(void **)&next = next_of(#name);        \
        if (*count) {                                \
            next arguments;                          \
            return;                                  \
        }                                            \
        struct block *block = begin(CALLER);         \
        next arguments;                              \
        end(block, operation, CALLER);               \
    }

/* As compilers write it: gfortran, ifort and flang the second one. */
#define NAMES(small, large, operation, parameters, arguments) \
    NAME(mpi_##small, operation, parameters, arguments)       \
    NAME(mpi_##small##_, operation, parameters, arguments)    \
    NAME(mpi_##small##__, operation, parameters, arguments)   \
    NAME(MPI_##large, operation, parameters, arguments)       \
    NAME(pmpi_##small, operation, parameters, arguments)      \
    NAME(pmpi_##small##_, operation, parameters, arguments)   \
    NAME(pmpi_##small##__, operation, parameters, arguments)  \
    NAME(PMPI_##large, operation, parameters, arguments)      \
    NAME(ompi_##small##_f, operation, parameters, arguments)

NAMES(waitall, WAITALL, OPERATION_WAITALL, (int *count, int *requests, int *statuses, int *error),
      (count, requests, statuses, error))
NAMES(waitany, WAITANY, OPERATION_WAITANY,
      (int *count, int *requests, int *which, int *status, int *error),
      (count, requests, which, status, error))
NAMES(waitsome, WAITSOME, OPERATION_WAITSOME,
      (int *count, int *requests, int *done, int *which, int *statuses, int *error),
      (count, requests, done, which, statuses, error))
NAMES(testall, TESTALL, OPERATION_TESTALL,
      (int *count, int *requests, int *flag, int *statuses, int *error),
      (count, requests, flag, statuses, error))
NAMES(testany, TESTANY, OPERATION_TESTANY,
      (int *count, int *requests, int *which, int *flag, int *status, int *error),
      (count, requests, which, flag, status, error))
NAMES(testsome, TESTSOME, OPERATION_TESTSOME,
      (int *count, int *requests, int *done, int *which, int *statuses, int *error),
      (count, requests, done, which, statuses, error))
#endif
