/* mpi.h without a reference to a data symbol of the library.
 *
 * Open MPI's predefined handles are addresses of objects in libmpi. A reference to one of them
 * would keep programs without MPI from starting, and programs that load libmpi themselves (Python)
 * would see the wrong address. So the name of each object that we use becomes a pointer that
 * library_find fills. */
#ifndef ADVISOR_HANDLES_H
#define ADVISOR_HANDLES_H

#include <mpi.h>

#if defined(OPEN_MPI)
#define OPEN_MPI_OBJECTS(object)                                                                   \
    object(ompi_mpi_comm_world) object(ompi_mpi_comm_self) object(ompi_mpi_comm_null)              \
        object(ompi_mpi_byte) object(ompi_mpi_char) object(ompi_mpi_datatype_null)                 \
            object(ompi_request_null) object(ompi_mpi_group_null) object(ompi_mpi_win_null)        \
                object(ompi_mpi_info_null) object(ompi_mpi_op_no_op) object(ompi_mpi_op_min)       \
                    object(ompi_mpi_errors_return) object(ompi_mpi_file_null) object(ompi_mpi_int) \
                        object(ompi_mpi_unsigned) object(ompi_mpi_unsigned_long)                   \
                            object(ompi_mpi_unsigned_long_long) object(ompi_mpi_double)            \
                                object(ompi_mpi_c_bool)
struct object_of_library;
#define DECLARE(name) extern struct object_of_library *at_##name;
OPEN_MPI_OBJECTS(DECLARE)
#undef DECLARE
#define ompi_mpi_comm_world         (*at_ompi_mpi_comm_world)
#define ompi_mpi_comm_self          (*at_ompi_mpi_comm_self)
#define ompi_mpi_comm_null          (*at_ompi_mpi_comm_null)
#define ompi_mpi_byte               (*at_ompi_mpi_byte)
#define ompi_mpi_char               (*at_ompi_mpi_char)
#define ompi_mpi_datatype_null      (*at_ompi_mpi_datatype_null)
#define ompi_request_null           (*at_ompi_request_null)
#define ompi_mpi_group_null         (*at_ompi_mpi_group_null)
#define ompi_mpi_win_null           (*at_ompi_mpi_win_null)
#define ompi_mpi_info_null          (*at_ompi_mpi_info_null)
#define ompi_mpi_op_no_op           (*at_ompi_mpi_op_no_op)
#define ompi_mpi_op_min             (*at_ompi_mpi_op_min)
#define ompi_mpi_errors_return      (*at_ompi_mpi_errors_return)
#define ompi_mpi_file_null          (*at_ompi_mpi_file_null)
#define ompi_mpi_int                (*at_ompi_mpi_int)
#define ompi_mpi_unsigned           (*at_ompi_mpi_unsigned)
#define ompi_mpi_unsigned_long      (*at_ompi_mpi_unsigned_long)
#define ompi_mpi_unsigned_long_long (*at_ompi_mpi_unsigned_long_long)
#define ompi_mpi_double             (*at_ompi_mpi_double)
#define ompi_mpi_c_bool             (*at_ompi_mpi_c_bool)
#endif

#endif
