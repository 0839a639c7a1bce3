#include "copies.h"
#include "pieces.h"
#include "settings.h"
#include <pthread.h>
#include <stdlib.h>

enum {
    FIRST_SPLIT = 3, /* copies cost about as much as a reduction: a communicator that is used once
                        or twice gets none */
    MOST_COPIES = 64
}; /* at a time; MPICH has 2048 contexts for everything */

/* Kept as an attribute of the communicator, so that it ends with it. */
struct copies {
    MPI_Comm comm, each[MOST_PIECES - 1];
    int count; /* copies made; 0: none yet, or never */
    int calls; /* large reductions so far, up to FIRST_SPLIT */
    int suits; /* whether this kind of communicator may have copies */
    struct copies *next;
};

static int key, usable;
static int made;
static struct copies *first, **last = &first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int not_inherited(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    (void)in;
    (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

/* Members free a communicator together, so they free its copies together. */
static int leave(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct copies *copies = value, **place = &first;
    (void)comm;
    (void)keyval;
    (void)extra;
    pthread_mutex_lock(&lock);
    while (*place != copies)
        place = &(*place)->next;
    if (!(*place = copies->next))
        last = place;
    made -= copies->count;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < copies->count; i++)
        library()->Comm_free(&copies->each[i]);
    free(copies);
    return MPI_SUCCESS;
}

void copies_begin(void)
{
    usable = settings_pieces() > 1 &&
             library()->Comm_create_keyval(not_inherited, leave, &key, NULL) == MPI_SUCCESS;
}

/* Ranks of another world (MPI_Comm_spawn, MPI_Comm_connect) agreed on other settings, or have none.
 */
static int is_of_one_world(MPI_Group members, int size)
{
    const struct library *mpi = library();
    MPI_Group all;
    int within = 1, *from = malloc(2 * sizeof *from * (size_t)size), *to = from + size;
    if (!from)
        abort(); /* a rank that answered otherwise than the others would hang them all */
    for (int i = 0; i < size; i++)
        from[i] = i;
    mpi->Comm_group(world(), &all);
    mpi->Group_translate_ranks(members, size, from, all, to);
    for (int i = 0; i < size; i++)
        within &= to[i] != MPI_UNDEFINED;
    mpi->Group_free(&all);
    free(from);
    return within;
}

static int suits(MPI_Comm comm)
{
    const struct library *mpi = library();
    MPI_Group members;
    int between, size;
    mpi->Comm_test_inter(comm, &between);
    if (between)
        return 0;
    mpi->Comm_group(comm, &members);
    mpi->Group_size(members, &size);
    int one_world = size > 1 && is_of_one_world(members, size);
    mpi->Group_free(&members);
    return one_world;
}

static struct copies *note(MPI_Comm comm)
{
    struct copies *copies = calloc(1, sizeof *copies);
    if (!copies)
        abort();
    copies->comm = comm;
    copies->suits = suits(comm);
    pthread_mutex_lock(&lock);
    *last = copies;
    last = &copies->next;
    pthread_mutex_unlock(&lock);
    library()->Comm_set_attr(comm, key, copies);
    return copies;
}

static int reserve(int wanted)
{
    pthread_mutex_lock(&lock);
    int room = made + wanted <= MOST_COPIES;
    made += room ? wanted : 0;
    pthread_mutex_unlock(&lock);
    return room;
}

static void give_back(int copies)
{
    pthread_mutex_lock(&lock);
    made -= copies;
    pthread_mutex_unlock(&lock);
}

/* MPI_Comm_dup would call the program's own functions that copy attributes; the same group is all
 * we need. Errors are returned to us, so that they reach the error handler of the program's
 * communicator. */
static int create(struct copies *copies, int wanted)
{
    const struct library *mpi = library();
    MPI_Group members;
    int good = 1;
    mpi->Comm_group(copies->comm, &members);
    for (int i = 0; i < wanted && good; i++) {
        good = mpi->Comm_create(copies->comm, members, &copies->each[i]) == MPI_SUCCESS;
        if (good) {
            mpi->Comm_set_errhandler(copies->each[i], errors_return());
            copies->count++;
        }
    }
    mpi->Group_free(&members);
    return copies->count;
}

/* Whether there is room and threads is known to each rank alone: one small reduction makes it known
 * to all. */
static void agree(struct copies *copies)
{
    int wanted = settings_pieces() - 1, reserved = reserve(wanted);
    long own = reserved && threads_ready(wanted), all = 0;
    int code = library()->Allreduce(&own, &all, 1, long_integer(), minimum(), copies->comm);
    int created = code == MPI_SUCCESS && all ? create(copies, wanted) : 0;
    if (reserved)
        give_back(wanted - created);
}

const MPI_Comm *copies_of(MPI_Comm comm)
{
    struct copies *copies = NULL;
    int there = 0;
    if (!usable || library()->Comm_get_attr(comm, key, &copies, &there) != MPI_SUCCESS)
        return NULL;
    if (!there)
        copies = note(comm);
    if (!copies->suits)
        return NULL;
    if (copies->calls < FIRST_SPLIT && ++copies->calls == FIRST_SPLIT)
        agree(copies);
    return copies->count == settings_pieces() - 1 ? copies->each : NULL;
}

/* In the order in which they were made, which all members have in common. */
void copies_end(void)
{
    usable = 0;
    while (first)
        library()->Comm_delete_attr(first->comm, key);
}
