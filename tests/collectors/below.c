/* Stands between the collector and the MPI library, and counts what the collector calls there: a
 * program links it and calls calls_print. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum call { MESSAGE, COLLECTIVE, BLOCKING, KINDS };
static int calls[KINDS];
static char blocking[256];

static void *next(const char *name, enum call kind)
{
    calls[kind]++;
    if (kind == BLOCKING && !strstr(blocking, name))
        snprintf(blocking + strlen(blocking), sizeof blocking - strlen(blocking), ",%s", name);
    return dlsym(RTLD_NEXT, name);
}

/* One line a rank, in one piece. */
void calls_print(const char *when)
{
    char line[512];
    int length = snprintf(line, sizeof line, "%s messages %d collectives %d blocking %d%s\n", when,
                          calls[MESSAGE], calls[COLLECTIVE], calls[BLOCKING], blocking);
    if (write(STDOUT_FILENO, line, (size_t)length) != length)
        _exit(1);
}

void calls_forget(void)
{
    memset(calls, 0, sizeof calls);
    *blocking = 0;
}

#define CALL(kind, name, parameters, arguments)                \
    int PMPI_##name parameters                                 \
    {                                                          \
        int(*function) parameters = next("PMPI_" #name, kind); \
        return function arguments;                             \
    }

#define SEND  (const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f)
#define ISEND (const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request *g)

CALL(MESSAGE, Isend, ISEND, (a, b, c, d, e, f, g))
CALL(MESSAGE, Issend, ISEND, (a, b, c, d, e, f, g))
CALL(BLOCKING, Send, SEND, (a, b, c, d, e, f))
CALL(BLOCKING, Recv, (void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Status *g),
     (a, b, c, d, e, f, g))
CALL(BLOCKING, Wait, (MPI_Request * a, MPI_Status *b), (a, b))
CALL(BLOCKING, Comm_dup, (MPI_Comm a, MPI_Comm *b), (a, b))
CALL(COLLECTIVE, Comm_idup, (MPI_Comm a, MPI_Comm *b, MPI_Request *c), (a, b, c))
CALL(BLOCKING, Barrier, (MPI_Comm a), (a))
CALL(COLLECTIVE, Ibarrier, (MPI_Comm a, MPI_Request *b), (a, b))
CALL(BLOCKING, Bcast, (void *a, int b, MPI_Datatype c, int d, MPI_Comm e), (a, b, c, d, e))
CALL(COLLECTIVE, Ibcast, (void *a, int b, MPI_Datatype c, int d, MPI_Comm e, MPI_Request *f),
     (a, b, c, d, e, f))
CALL(BLOCKING, Allreduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f),
     (a, b, c, d, e, f))
CALL(COLLECTIVE, Iallreduce,
     (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request *g),
     (a, b, c, d, e, f, g))
CALL(BLOCKING, Allgather,
     (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, MPI_Comm g),
     (a, b, c, d, e, f, g))
CALL(COLLECTIVE, Iallgather,
     (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, MPI_Comm g,
      MPI_Request *h),
     (a, b, c, d, e, f, g, h))

int PMPI_Finalize(void)
{
    calls_print("end");
    int (*function)(void) = dlsym(RTLD_NEXT, "PMPI_Finalize");
    return function();
}
