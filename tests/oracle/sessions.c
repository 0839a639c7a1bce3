/* Sessions beside the world model: groups from process sets, communicators from groups. */
#include "oracle.h"

#if HAVE_Session_init
static void handler(MPI_Session *session, int *code, ...)
{
    (void)session;
    (void)code;
}

static void described(MPI_Session session)
{
    int sets, length = 0;
    char name[MPI_MAX_PSET_NAME_LEN];
    MPI_Info info;
    MPI_Errhandler errors;
    PLAIN(Session_get_num_psets, 3, session, MPI_INFO_NULL, &sets);
    VERIFY(sets >= 2);
    PLAIN(Session_get_nth_pset, 1, session, MPI_INFO_NULL, 0, &length, NULL);
    length = sizeof name;
    PLAIN(Session_get_nth_pset, 2, session, MPI_INFO_NULL, 0, &length, name);
    PLAIN(Session_get_pset_info, 1, session, "mpi://WORLD", &info);
    PLAIN(Info_free, 1, &info);
    PLAIN(Session_get_info, 1, session, &info);
#if HAVE_Session_set_info
    OUTSIDE(Session_set_info, session, info); /* Open MPI's own: in no standard */
#endif
    PLAIN(Info_free, 1, &info);
    PLAIN(Session_create_errhandler, 1, handler, &errors);
    PLAIN(Session_set_errhandler, 2, session, errors);
    PLAIN(Session_call_errhandler, 3, session, MPI_ERR_OTHER);
    PLAIN(Errhandler_free, 1, &errors);
    PLAIN(Session_get_errhandler, 1, session, &errors);
    PLAIN(Errhandler_free, 1, &errors);
}

static void used(MPI_Session session)
{
    int one = 1, sum = 0;
    MPI_Group group;
    MPI_Comm comm;
    PLAIN(Group_from_session_pset, 1, session, "mpi://WORLD", &group);
    PLAIN(Comm_create_from_group, 1, group, "oracle", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    LARGE_CALL(Allreduce, 5, sizeof(int), &one, &sum, 1, MPI_INT, MPI_SUM, comm);
    VERIFY(sum == size);
    PLAIN(Comm_free, 1, &comm);
    PLAIN(Group_free, 1, &group);
}

/* Two halves, then the bridge between them. */
static void bridged(MPI_Session session)
{
    int first = rank < size / 2, range[1][3], flag;
    MPI_Group world, own, other;
    MPI_Comm inter;
    PLAIN(Group_from_session_pset, 1, session, "mpi://WORLD", &world);
    range[0][0] = 0;
    range[0][1] = size / 2 - 1;
    range[0][2] = 1;
    PLAIN(Group_range_incl, 1, world, 1, range, first ? &own : &other);
    PLAIN(Group_range_excl, 1, world, 1, range, first ? &other : &own);
    PLAIN(Intercomm_create_from_groups, 1, own, 0, other, 0, "oracle.bridge", MPI_INFO_NULL,
          MPI_ERRORS_RETURN, &inter);
    PLAIN(Comm_test_inter, 1, inter, &flag);
    PLAIN(Comm_free, 1, &inter);
    PLAIN(Group_free, 1, &own);
    PLAIN(Group_free, 1, &other);
    PLAIN(Group_free, 1, &world);
}
#endif

void sessions(void)
{
#if HAVE_Session_init
    for (int turn = 0; turn < 2; turn++) {
        MPI_Session session;
        PLAIN(Session_init, 1, MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        if (turn == 0)
            described(session);
        used(session);
        if (turn == 1)
            bridged(session);
        PLAIN(Session_finalize, 1, &session);
    }
#endif
}
