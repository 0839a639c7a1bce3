/* The MPI library's own functions and objects, found in the process: nothing here is linked with
 * MPI. Open MPI's predefined handles are objects of the library; a reference to one would keep
 * programs without MPI from starting. */
#ifndef ADVISOR_ENDPOINTS_LIBRARY_H
#define ADVISOR_ENDPOINTS_LIBRARY_H

#define OMPI_SKIP_MPICXX  1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#if MPI_VERSION >= 4
#define CALLS_OF_MPI_4(call) call(Allreduce_c)
#else
#define CALLS_OF_MPI_4(call)
#endif

#define CALLS(call)                                                                               \
    call(Init) call(Init_thread) call(Finalize) call(Allreduce) call(Comm_rank) call(Comm_size)   \
        call(Comm_test_inter) call(Comm_group) call(Comm_create) call(Comm_free)                  \
            call(Comm_create_keyval) call(Comm_get_attr) call(Comm_set_attr)                      \
                call(Comm_delete_attr) call(Comm_set_errhandler) call(Comm_call_errhandler)       \
                    call(Group_size) call(Group_free) call(Group_translate_ranks) call(Type_size) \
                        call(Type_get_extent) call(Type_get_envelope) CALLS_OF_MPI_4(call)

/* library->Allreduce is the library's PMPI_Allreduce, not that of a profiler. */
struct library {
#define MEMBER(name) __typeof__(&MPI_##name) name;
    CALLS(MEMBER)
#undef MEMBER
};

const struct library *library(void);

MPI_Comm world(void);
MPI_Op minimum(void);
MPI_Datatype long_integer(void);
MPI_Errhandler errors_return(void);
int is_predefined(MPI_Op op);

#endif
