#include "windows.h"
#include <stdlib.h>
#include "locks.h"

struct map window_map = MAP_START;
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
