/* What MPI 3.0 removed and most libraries still have. */
#include "oracle.h"

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    (void)in;
    (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}
static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    return MPI_SUCCESS;
}

static void attributes_of_old(void)
{
    int key, flag;
    void *value;
    PLAIN(Keyval_create, 1, copy, forget, &key, NULL);
    PLAIN(Attr_put, 3, MPI_COMM_WORLD, key, &flag);
    PLAIN(Attr_get, 5, MPI_COMM_WORLD, key, &value, &flag);
    PLAIN(Attr_delete, 1, MPI_COMM_WORLD, key);
    PLAIN(Keyval_free, 1, &key);
}

#if HAVE_Type_hvector
static void types_of_old(void)
{
    MPI_Datatype type, kind = MPI_INT;
    int length = 1;
    MPI_Aint place = 0;
    PLAIN(Address, 3, &length, &place);
    place = 0;
    PLAIN(Type_hvector, 1, 2, 1, 8, MPI_INT, &type);
    PLAIN(Type_free, 1, &type);
    PLAIN(Type_hindexed, 1, 1, &length, &place, MPI_INT, &type);
    PLAIN(Type_free, 1, &type);
    PLAIN(Type_struct, 1, 1, &length, &place, &kind, &type);
    PLAIN(Type_free, 1, &type);
    PLAIN(Type_extent, 5, MPI_INT, &place);
    PLAIN(Type_lb, 2, MPI_INT, &place);
    PLAIN(Type_ub, 3, MPI_INT, &place);
}
#endif

#if HAVE_Errhandler_set
static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static void errors_of_old(void)
{
    MPI_Errhandler own, before;
    PLAIN(Errhandler_get, 1, MPI_COMM_SELF, &before);
    PLAIN(Errhandler_create, 1, handler, &own);
    PLAIN(Errhandler_set, 2, MPI_COMM_SELF, own);
    PLAIN(Errhandler_free, 1, &own);
    PLAIN(Errhandler_set, 1, MPI_COMM_SELF, before);
    PLAIN(Errhandler_free, 1, &before);
}
#endif

void types_deprecated(void)
{
    attributes_of_old();
#if HAVE_Type_hvector
    types_of_old();
#endif
#if HAVE_Errhandler_set
    errors_of_old();
#endif
}
