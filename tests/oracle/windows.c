/* Making and describing windows of every kind. */
#include "oracle.h"

static int copy(MPI_Win win, int key, void *extra, void *in, void *out, int *flag)
{
    (void)win;
    (void)key;
    (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}
static int forget(MPI_Win win, int key, void *value, void *extra)
{
    (void)win;
    (void)key;
    (void)value;
    (void)extra;
    return MPI_SUCCESS;
}
static void handler(MPI_Win *win, int *code, ...)
{
    (void)win;
    (void)code;
}

static void describe(MPI_Win win)
{
    int length, flag, key;
    char name[MPI_MAX_OBJECT_NAME];
    void *value;
    MPI_Group group;
    MPI_Info info;
    MPI_Errhandler errors;
    PLAIN(Win_set_name, 2, win, "oracle");
    PLAIN(Win_get_name, 3, win, name, &length);
    PLAIN(Win_get_group, 1, win, &group);
    PLAIN(Group_free, 1, &group);
    PLAIN(Win_get_info, 1, win, &info);
    PLAIN(Win_set_info, 2, win, info);
    PLAIN(Info_free, 1, &info);
    PLAIN(Win_get_attr, 5, win, MPI_WIN_SIZE, &value, &flag);
    PLAIN(Win_create_keyval, 1, copy, forget, &key, NULL);
    PLAIN(Win_set_attr, 3, win, key, name);
    PLAIN(Win_delete_attr, 1, win, key);
    PLAIN(Win_free_keyval, 1, &key);
    PLAIN(Win_create_errhandler, 1, handler, &errors);
    PLAIN(Win_set_errhandler, 2, win, errors);
    PLAIN(Win_call_errhandler, 3, win, MPI_ERR_OTHER);
    PLAIN(Errhandler_free, 1, &errors);
    PLAIN(Win_get_errhandler, 1, win, &errors);
    PLAIN(Errhandler_free, 1, &errors);
}

static void created(void)
{
    static int memory[64];
    MPI_Win win;
    for (int at = 0; at < 3; at++) {
        LARGE_PLAIN(Win_create, 1, memory, sizeof memory, sizeof(int), MPI_INFO_NULL,
                    MPI_COMM_WORLD, &win);
        if (at == 0)
            describe(win);
        PLAIN(Win_free, 1, &win);
    }
}

static void allocated(void)
{
    int *memory;
    MPI_Win win;
    for (int at = 0; at < 2; at++) {
        LARGE_PLAIN(Win_allocate, 1, 128, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                    &win);
        PLAIN(Win_free, 1, &win);
    }
}

static void shared(void)
{
    int *memory, *other;
    MPI_Aint bytes;
    offset unit;
    MPI_Win win;
    MPI_Comm node;
    PLAIN(Comm_split_type, 1, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    LARGE_PLAIN(Win_allocate_shared, 1, 128, sizeof(int), MPI_INFO_NULL, node, &memory, &win);
    LARGE_PLAIN(Win_shared_query, 3, win, 0, &bytes, &unit, &other);
    VERIFY(unit == sizeof(int));
    PLAIN(Win_free, 1, &win);
    PLAIN(Comm_free, 1, &node);
}

static void dynamic(void)
{
    static int memory[2][64];
    MPI_Win win;
    PLAIN(Win_create_dynamic, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int at = 0; at < 2; at++)
        PLAIN(Win_attach, 1, win, memory[at], sizeof memory[at]);
    for (int at = 0; at < 2; at++)
        PLAIN(Win_detach, 1, win, memory[at]);
    PLAIN(Win_free, 1, &win);
}

static void memory(void)
{
    void *block;
    for (int at = 0; at < 5; at++) {
        PLAIN(Alloc_mem, 1, 4096, MPI_INFO_NULL, &block);
        PLAIN(Free_mem, 1, block);
    }
}

void windows(void)
{
    created();
    allocated();
    shared();
    dynamic();
    memory();
}
