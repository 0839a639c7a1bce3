/* Attributes of communicators and types, and the callbacks that copy them. */
#include "oracle.h"

static int copied;

/* Called from inside of MPI_Comm_dup: what it calls is not outermost. */
static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    int value;
    (void)key;
    (void)extra;
    MPI_Comm_rank(comm, &value);
    copied++;
    *(void **)out = in;
    *flag = 1;
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
static int copy_type(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)type;
    (void)key;
    (void)extra;
    (void)in;
    (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}
static int forget_type(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type;
    (void)key;
    (void)value;
    (void)extra;
    return MPI_SUCCESS;
}

static void of_communicators(void)
{
    int key, flag;
    void *value;
    MPI_Comm comm, other;
    PLAIN(Comm_dup, 1, MPI_COMM_SELF, &comm);
    PLAIN(Comm_create_keyval, 1, copy, forget, &key, NULL);
    PLAIN(Comm_set_attr, 3, comm, key, &flag);
    PLAIN(Comm_get_attr, 5, comm, key, &value, &flag);
    VERIFY(flag && value == &flag);
    for (int at = 0; at < 2; at++) {
        PLAIN(Comm_dup, 1, comm, &other);
        PLAIN(Comm_free, 1, &other);
    }
    VERIFY(copied == 2);
    PLAIN(Comm_delete_attr, 1, comm, key);
    PLAIN(Comm_free_keyval, 1, &key);
    PLAIN(Comm_free, 1, &comm);
    PLAIN(Comm_get_attr, 2, MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
}

static void of_types(void)
{
    int key, flag;
    void *value;
    MPI_Datatype type;
    PLAIN(Type_dup, 1, MPI_INT, &type);
    PLAIN(Type_create_keyval, 1, copy_type, forget_type, &key, NULL);
    PLAIN(Type_set_attr, 2, type, key, &flag);
    PLAIN(Type_get_attr, 3, type, key, &value, &flag);
    PLAIN(Type_delete_attr, 1, type, key);
    PLAIN(Type_free_keyval, 1, &key);
    PLAIN(Type_free, 1, &type);
}

void attributes(void)
{
    of_communicators();
    of_types();
}
