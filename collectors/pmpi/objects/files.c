#include "files.h"
#include <stdlib.h>

static struct map *file_map; /* NULL: no file was opened yet; most programs open none, and a map is
                                part of what each rank pays */

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
