/* Error classes, codes, texts and handlers; and calls that fail, which are calls all the same. */
#include "oracle.h"

static int handled;
static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
}

static void codes(void)
{
    int class, code, length;
    char text[MPI_MAX_ERROR_STRING];
    PLAIN(Add_error_class, 1, &class);
    PLAIN(Add_error_code, 1, class, &code);
    PLAIN(Add_error_string, 2, code, "of the oracle");
    PLAIN(Error_string, 3, code, text, &length);
    VERIFY(strcmp(text, "of the oracle") == 0);
    PLAIN(Error_class, 5, code, &class);
#if HAVE_Remove_error_string
    PLAIN(Add_error_class, 1, &class);
    PLAIN(Add_error_code, 1, class, &code);
    PLAIN(Add_error_string, 1, code, "to be removed");
    PLAIN(Remove_error_string, 1, code);
    PLAIN(Remove_error_code, 1, code);
    PLAIN(Remove_error_class, 1, class);
#endif
}

static void handlers(MPI_Comm comm)
{
    MPI_Errhandler own;
    PLAIN(Comm_create_errhandler, 1, handler, &own);
    PLAIN(Comm_set_errhandler, 2, comm, own);
    PLAIN(Comm_call_errhandler, 3, comm, MPI_ERR_OTHER);
    VERIFY(handled == 3);
    PLAIN(Errhandler_free, 1, &own);
    PLAIN(Comm_get_errhandler, 1, comm, &own);
    PLAIN(Errhandler_free, 1, &own);
}

/* A rank that does not exist: the call fails and says so, with a profiler as without; it was no
 * message. */
static void failing(MPI_Comm comm)
{
    char none;
    PLAIN(Comm_set_errhandler, 1, comm, MPI_ERRORS_RETURN);
    for (int at = 0; at < 3; at++) {
        int code = MPI_Send(&none, 0, MPI_CHAR, 99, 0, comm), class;
        expect("Send", NOBODY);
        VERIFY(code != MPI_SUCCESS);
        PLAIN(Error_class, 1, code, &class);
        VERIFY(class == MPI_ERR_RANK);
    }
}

void errors(void)
{
    MPI_Comm comm;
    PLAIN(Comm_dup, 1, MPI_COMM_SELF, &comm);
    codes();
    handlers(comm);
    failing(comm);
    PLAIN(Comm_free, 1, &comm);
}
