/* Handles to Fortran and back, and to integers (MPI 5). Where a library has them as macros, nothing
 * is called. */
#include "oracle.h"

#define BOTH(kind, handle, type, back)     \
    do {                                   \
        MPI_Fint number = 0;               \
        type again = back;                 \
        VALUE(kind##_c2f, number, handle); \
        VALUE(kind##_f2c, again, number);  \
        (void)again;                       \
    } while (0)

static void handles(void)
{
    BOTH(Comm, MPI_COMM_WORLD, MPI_Comm, MPI_COMM_NULL);
    BOTH(Type, MPI_INT, MPI_Datatype, MPI_DATATYPE_NULL);
    BOTH(Group, MPI_GROUP_EMPTY, MPI_Group, MPI_GROUP_NULL);
    BOTH(Op, MPI_SUM, MPI_Op, MPI_OP_NULL);
    BOTH(Errhandler, MPI_ERRORS_RETURN, MPI_Errhandler, MPI_ERRHANDLER_NULL);
    BOTH(Info, MPI_INFO_NULL, MPI_Info, MPI_INFO_NULL);
    BOTH(Request, MPI_REQUEST_NULL, MPI_Request, MPI_REQUEST_NULL);
    BOTH(Win, MPI_WIN_NULL, MPI_Win, MPI_WIN_NULL);
    BOTH(File, MPI_FILE_NULL, MPI_File, MPI_FILE_NULL);
    BOTH(Message, MPI_MESSAGE_NULL, MPI_Message, MPI_MESSAGE_NULL);
#if HAVE_Session_c2f
    BOTH(Session, MPI_SESSION_NULL, MPI_Session, MPI_SESSION_NULL);
#endif
}

#define AS_INTEGER(kind, handle, type)        \
    do {                                      \
        int number;                           \
        type again;                           \
        VALUE(kind##_toint, number, handle);  \
        VALUE(kind##_fromint, again, number); \
        (void)again;                          \
    } while (0)

#if HAVE_Comm_toint
static void integers(void)
{
    AS_INTEGER(Comm, MPI_COMM_WORLD, MPI_Comm);
    AS_INTEGER(Type, MPI_INT, MPI_Datatype);
    AS_INTEGER(Group, MPI_GROUP_EMPTY, MPI_Group);
    AS_INTEGER(Op, MPI_SUM, MPI_Op);
    AS_INTEGER(Errhandler, MPI_ERRORS_RETURN, MPI_Errhandler);
    AS_INTEGER(Info, MPI_INFO_NULL, MPI_Info);
    AS_INTEGER(Request, MPI_REQUEST_NULL, MPI_Request);
    AS_INTEGER(Win, MPI_WIN_NULL, MPI_Win);
    AS_INTEGER(File, MPI_FILE_NULL, MPI_File);
    AS_INTEGER(Message, MPI_MESSAGE_NULL, MPI_Message);
    AS_INTEGER(Session, MPI_SESSION_NULL, MPI_Session);
}
#endif

static void statuses(void)
{
    MPI_Status status;
    MPI_Fint words[sizeof status / sizeof(MPI_Fint) + 4];
    memset(&status, 0, sizeof status);
    PLAIN(Status_c2f, 2, &status, words);
    PLAIN(Status_f2c, 3, words, &status);
#if HAVE_Status_c2f08
    MPI_F08_status modern;
    PLAIN(Status_c2f08, 2, &status, &modern);
    PLAIN(Status_f082c, 3, &modern, &status);
    PLAIN(Status_f082f, 2, &modern, words);
    PLAIN(Status_f2f08, 3, words, &modern);
#endif
}

void conversions(void)
{
    handles();
#if HAVE_Comm_toint
    integers();
#endif
    statuses();
}
