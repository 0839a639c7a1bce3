/* Calls of MPI that know what a profiler must report about them.
 *
 * Every call of these programs goes through one of the macros below. The macro makes the call and,
 * beside it, adds the call to a table of expectations: the truth comes from the program and from
 * the text of the standard, not from any list of a profiler. Each rank writes its table as JSON at
 * the end.
 *
 *     CALL(Bcast, 7, 12 * sizeof(int), buffer, 12, MPI_INT, 0, MPI_COMM_WORLD);     seven calls of
 * 48 bytes PLAIN(Barrier, 3, MPI_COMM_WORLD);                                            three
 * calls without payload LARGE_CALL, LARGE_PLAIN: the same, for procedures that have a twin with
 * large counts: MPI_Bcast_c if compiled with -DLARGE
 *
 * `bytes` is the payload that this rank hands in with one call: count times the size of the type;
 * one block where the operation moves one block a peer; nothing on the receiving side
 * (METRICS 6.1). A call that the library lacks is left out and its name is listed (available.h,
 * made for each library by features.py).
 */
#ifndef ORACLE_H
#define ORACLE_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "available.h"

#ifdef LARGE
typedef MPI_Count amount; /* element of an array of counts */
typedef MPI_Aint offset;  /* element of an array of displacements */
typedef MPI_Count wide;   /* where the small version has MPI_Aint and the twin MPI_Count */
#define TWIN(name) name##_c
#else
typedef int amount;
typedef int offset;
typedef MPI_Aint wide;
#define TWIN(name) name
#endif

extern int rank, size; /* in MPI_COMM_WORLD */

void expect(const char *operation,
            long long bytes);       /* one call; bytes -1: carries no payload by its nature */
void absent(const char *operation); /* the library has no such call */
void check(const char *operation, int code); /* ends the job unless code is MPI_SUCCESS */
void verify(int right, const char *file, int line,
            const char *what); /* ends the job unless right */
void oracle_write(void);       /* the table, into the folder $ORACLE_OUTPUT */

enum {
    NOBODY = -1
}; /* the bytes of a call to MPI_PROC_NULL: no message, so not even one of 0 bytes */

#define VERIFY(condition) verify((condition) != 0, __FILE__, __LINE__, #condition)

#define REPEAT(name, function, times, bytes, ...)                \
    do {                                                         \
        for (int repeated = 0; repeated < (times); repeated++) { \
            check(#name, (function)(__VA_ARGS__));               \
            expect(#name, (long long)(bytes));                   \
        }                                                        \
    } while (0)

#define CALL(name, times, bytes, ...) IF_##name(REPEAT(name, MPI_##name, times, bytes, __VA_ARGS__))
#define PLAIN(name, times, ...)       IF_##name(REPEAT(name, MPI_##name, times, -1, __VA_ARGS__))
#define NO_ARGUMENTS(name, times)     IF_##name(REPEAT(name, MPI_##name, times, -1))
#define LARGE_CALL(name, times, bytes, ...) LARGE_CALL_(name, TWIN(name), times, bytes, __VA_ARGS__)
#define LARGE_CALL_(name, twin, times, bytes, ...) \
    LARGE_CALL__(name, twin, times, bytes, __VA_ARGS__)
#define LARGE_CALL__(name, twin, times, bytes, ...) \
    IF_##twin(REPEAT(name, MPI_##twin, times, bytes, __VA_ARGS__))
#define LARGE_PLAIN(name, times, ...) LARGE_CALL(name, times, -1, __VA_ARGS__)

/* One call of a twin that has other arguments than the small version. */
#define PLAIN_AS(name, twin, ...) IF_##twin(REPEAT(name, MPI_##twin, 1, -1, __VA_ARGS__))
/* A call that a library may refuse by its error code: it is a call all the same. */
#define REFUSABLE(name, ...)             \
    IF_##name(do {                       \
        (void)(MPI_##name)(__VA_ARGS__); \
        expect(#name, -1);               \
    } while (0))
#define LARGE_REFUSABLE(name, ...)        LARGE_REFUSABLE_(name, TWIN(name), __VA_ARGS__)
#define LARGE_REFUSABLE_(name, twin, ...) LARGE_REFUSABLE__(name, twin, __VA_ARGS__)
#define LARGE_REFUSABLE__(name, twin, ...) \
    IF_##twin(do {                         \
        (void)(MPI_##twin)(__VA_ARGS__);   \
        expect(#name, -1);                 \
    } while (0))
/* A call that returns something else than an error code. */
#define VALUE(name, result, ...)            \
    IF_##name(do {                          \
        result = (MPI_##name)(__VA_ARGS__); \
        expect(#name, -1);                  \
    } while (0))
/* A call that is not expected in any table: before MPI_Init, after MPI_Finalize. */
#define OUTSIDE(name, ...) IF_##name(check(#name, (MPI_##name)(__VA_ARGS__)))

#define OUTSIDE_(name) IF_##name(check(#name, MPI_##name()))

/* The topics: one file each. */
void point_to_point(void);
void probes(void);
void buffers(void);
void nonblocking(void);
void requests(void);
void persistent(void);
void partitioned(void);
void collectives(void);
void collectives_varying(void);
void nonblocking_collectives(void);
void persistent_collectives(void);
void neighbours(void);
void intercommunicators(void);
void windows(void);
void onesided(void);
void onesided_synchronisation(void);
void files(void);
void files_nonblocking(void);
void files_management(void);
void communicators(void);
void groups(void);
void types(void);
void types_deprecated(void);
void packing(void);
void infos(void);
void attributes(void);
void errors(void);
void operators(void);
void topologies(void);
void conversions(void);
void names(void);
void spawning(void);
int is_child(int words, char **word);
extern const char *oracle_program;
void sessions(void);
void environment(void);
void tool_interface(void);
void threads(void);
void huge(void);
#endif
