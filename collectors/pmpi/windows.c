#include "windows.h"
#include <stdlib.h>
#include "locks.h"

struct map window_map = MAP_START;
static struct map *file_map; /* NULL: no file was opened yet; most programs open none, and a map is
                                part of what each rank pays */
static __thread struct communicator *freed
    __attribute__((tls_model("initial-exec"))); /* by the call at hand */

static struct communicator *keep(MPI_Win window)
{
    MPI_Group group;
    struct communicator *made = NULL;
    if (real.Win_get_group(window, &group) == MPI_SUCCESS) {
        made = communicator_of_group(group);
        if (!map_insert(&window_map, (uintptr_t)window, made)) {
            communicator_release(made);
            made = NULL;
        }
    }
    return made ? made : communicator_of(MPI_COMM_NULL);
}

struct communicator *window_meet(MPI_Win window)
{
    return keep(window);
}

/* A row for each kind and class of communicator. */
static void count_window(unsigned kind, unsigned class, int64_t bytes)
{
    unsigned index = kind * CLASS_COUNT + class;
    if (index >= WINDOW_ROWS)
        return;
    struct window_row *row = &record->windows[index];
    row->kind = kind;
    row->class = class;
    __atomic_fetch_add(&row->bytes, bytes > 0 ? (uint64_t)bytes : 0, __ATOMIC_RELAXED);
    __atomic_fetch_add(&row->count, 1, __ATOMIC_RELAXED);
}

void window_created(MPI_Win window, MPI_Comm comm, unsigned kind, int64_t bytes, uint64_t begin)
{
    if (!record)
        return;
    struct communicator *stale = map_remove(&window_map, (uintptr_t)window);
    if (stale)
        communicator_release(stale);
    struct communicator *made = keep(window);
    communicator_of_window(made, comm);
    if (made != &communicator_unknown)
        made->created = begin;
    count_window(kind, made->class, bytes);
}

void window_freed(MPI_Win window)
{
    struct communicator *gone = map_remove(&window_map, (uintptr_t)window);
    if (freed)
        communicator_release(freed);
    freed = gone;
}

void window_over(uint64_t exit)
{
    if (freed) {
        locks_end(freed, exit);
        communicator_release(freed);
    }
    freed = NULL;
}

void windows_each(void (*visit)(struct communicator *window, void *with), void *with)
{
    for (int i = 0; i < MAP_SLOTS + MAP_PROBES; i++) {
        const uintptr_t key = window_map.slots[i].key;
        if (key != MAP_EMPTY && key != (uintptr_t)MAP_REMOVED)
            visit(window_map.slots[i].value, with);
    }
}

static struct map *files(void)
{
    struct map *made, *known = __atomic_load_n(&file_map, __ATOMIC_ACQUIRE);
    if (known || !(made = calloc(1, sizeof *made)))
        return known;
    pthread_mutex_init(&made->lock, NULL);
    if (__atomic_compare_exchange_n(&file_map, &known, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    free(made);
    return known;
}

uint64_t files_memory(void)
{
    return __atomic_load_n(&file_map, __ATOMIC_RELAXED) ? sizeof *file_map : 0;
}

/* A class is kept as a number one higher, so that class 0 is not taken for "not found". */
void file_opened(MPI_File file, MPI_Comm comm)
{
    struct map *known = files();
    if (known)
        map_insert(known, (uintptr_t)file, (void *)(uintptr_t)(communicator_of(comm)->class + 1));
}

unsigned file_class(MPI_File file)
{
    struct map *known = __atomic_load_n(&file_map, __ATOMIC_ACQUIRE);
    uintptr_t found = known ? (uintptr_t)map_find(known, (uintptr_t)file) : 0;
    return found ? (unsigned)found - 1 : CLASS_NONE;
}

void file_closed(MPI_File file)
{
    struct map *known = __atomic_load_n(&file_map, __ATOMIC_ACQUIRE);
    if (known)
        map_remove(known, (uintptr_t)file);
}
