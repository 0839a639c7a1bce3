/* The functions in front of MPI: MPI_x for C, and PMPI_x, which Open MPI's Fortran layer and
 * profilers call. Nothing else is visible. */
#include "copies.h"
#include "pieces.h"
#include "settings.h"
#include <stddef.h>

#define VISIBLE __attribute__((visibility("default")))

enum {
    LARGEST_TYPE = 32
}; /* bytes of a complex long double: smaller counts are settled without asking for the type */

/* From what all ranks give alike: count, type and operation. Derived types and operations of the
 * program go to MPI as they are. */
static int is_large(long long count, MPI_Datatype type, MPI_Op op, MPI_Aint *extent)
{
    MPI_Aint lower;
    int integers, addresses, types, combiner, size;
    if (inside || settings_pieces() < 2 || count < settings_threshold() / LARGEST_TYPE ||
        count < settings_pieces() || !is_predefined(op))
        return 0;
    if (library()->Type_get_envelope(type, &integers, &addresses, &types, &combiner) !=
            MPI_SUCCESS ||
        combiner != MPI_COMBINER_NAMED)
        return 0;
    library()->Type_size(type, &size);
    library()->Type_get_extent(type, &lower, extent);
    return lower == 0 && count * size >= settings_threshold();
}

/* Pieces of equal length, the first ones by one element longer if it does not divide. */
static int in_pieces(const void *send, void *receive, long long count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm, MPI_Aint extent, const MPI_Comm *copies)
{
    struct piece pieces[MOST_PIECES];
    int number = settings_pieces();
    long long begin = 0;
    for (int i = 0; i < number; i++) {
        long long length = count / number + (i < count % number);
        const void *from = send == MPI_IN_PLACE ? send : (const char *)send + begin * extent;
        pieces[i] = (struct piece){ from, (char *)receive + begin * extent, length,     type,
                                    op,   i ? copies[i - 1] : comm,         MPI_SUCCESS };
        begin += length;
    }
    threads_reduce(pieces, number);
    if (pieces[0].code != MPI_SUCCESS)
        return pieces[0].code; /* the program's own error handler has been called */
    for (int i = 1; i < number; i++)
        if (pieces[i].code != MPI_SUCCESS) {
            library()->Comm_call_errhandler(comm, pieces[i].code);
            return pieces[i].code;
        }
    return MPI_SUCCESS;
}

static int allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm)
{
    MPI_Aint extent;
    const MPI_Comm *copies = is_large(count, type, op, &extent) ? copies_of(comm) : NULL;
    if (copies)
        return in_pieces(send, receive, count, type, op, comm, extent, copies);
    inside++;
    int code = library()->Allreduce(send, receive, count, type, op, comm);
    inside--;
    return code;
}

VISIBLE int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm)
{
    return allreduce(send, receive, count, type, op, comm);
}
VISIBLE int PMPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm)
{
    return allreduce(send, receive, count, type, op, comm);
}

#if MPI_VERSION >= 4
static int allreduce_c(const void *send, void *receive, MPI_Count count, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm)
{
    MPI_Aint extent;
    const MPI_Comm *copies = is_large(count, type, op, &extent) ? copies_of(comm) : NULL;
    if (copies)
        return in_pieces(send, receive, count, type, op, comm, extent, copies);
    inside++;
    int code = library()->Allreduce_c(send, receive, count, type, op, comm);
    inside--;
    return code;
}

VISIBLE int MPI_Allreduce_c(const void *send, void *receive, MPI_Count count, MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm)
{
    return allreduce_c(send, receive, count, type, op, comm);
}
VISIBLE int PMPI_Allreduce_c(const void *send, void *receive, MPI_Count count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm)
{
    return allreduce_c(send, receive, count, type, op, comm);
}
#endif

static int begin_with(int *argc, char ***argv, int required, int *provided)
{
    inside++;
    int code = library()->Init_thread(
        argc, argv, settings_wanted() > 1 ? MPI_THREAD_MULTIPLE : required, provided);
    if (code == MPI_SUCCESS) {
        settings_agree(*provided);
        threads_begin();
        copies_begin();
    }
    inside--;
    return code;
}

static int init(int *argc, char ***argv)
{
    int provided;
    return inside ? library()->Init(argc, argv)
                  : begin_with(argc, argv, MPI_THREAD_SINGLE, &provided);
}

static int init_thread(int *argc, char ***argv, int required, int *provided)
{
    return inside ? library()->Init_thread(argc, argv, required, provided)
                  : begin_with(argc, argv, required, provided);
}

static int finalize(void)
{
    if (!inside) {
        copies_end();
        threads_leave();
    }
    return library()->Finalize();
}

VISIBLE int MPI_Init(int *argc, char ***argv)
{
    return init(argc, argv);
}
VISIBLE int PMPI_Init(int *argc, char ***argv)
{
    return init(argc, argv);
}
VISIBLE int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return init_thread(argc, argv, required, provided);
}
VISIBLE int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return init_thread(argc, argv, required, provided);
}
VISIBLE int MPI_Finalize(void)
{
    return finalize();
}
VISIBLE int PMPI_Finalize(void)
{
    return finalize();
}
