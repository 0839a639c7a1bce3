#include "datatypes.h"
#include <pthread.h>

struct datatype_slot datatype_slots[DATATYPE_SLOTS + DATATYPE_PROBES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t ask(MPI_Datatype datatype)
{
    MPI_Count large = 0;
    int size = 0;
    if (real.Type_size_x && real.Type_size_x(datatype, &large) == MPI_SUCCESS)
        return large < 0 ? 0 : (int64_t)large;
    return real.Type_size(datatype, &size) == MPI_SUCCESS && size > 0 ? size : 0;
}

static struct datatype_slot *find(uintptr_t key)
{
    struct datatype_slot *slot = datatype_slot_of((MPI_Datatype)key);
    for (int i = 0; i < DATATYPE_PROBES; i++, slot++)
        if (__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) == key)
            return slot;
    return NULL;
}

static void keep(MPI_Datatype datatype, int64_t size)
{
    struct datatype_slot *slot = datatype_slot_of(datatype);
    for (int i = 0; i < DATATYPE_PROBES; i++, slot++)
        if (!slot->key) {
            slot->size = size;
            __atomic_store_n(&slot->key, (uintptr_t)datatype, __ATOMIC_RELEASE);
            return;
        }
}

/* Where there is no room the library is asked each time. */
int64_t datatype_size_slow(MPI_Datatype datatype)
{
    struct datatype_slot *known = find((uintptr_t)datatype);
    if (known)
        return known->size;
    int64_t size = ask(datatype);
    pthread_mutex_lock(&lock);
    if (!find((uintptr_t)datatype))
        keep(datatype, size);
    pthread_mutex_unlock(&lock);
    return size;
}

/* How much of a type has gaps; the map's values are addresses of these. */
static char within, between; /* one element; several, one after the other */
int datatypes_have_gaps;
struct map datatype_gaps = MAP_START;

/* A type in one piece may still have its elements in another order than memory has them. Nobody but
 * the library knows that of one that is not taken apart; such types are rare. */
void datatype_committed(MPI_Datatype datatype)
{
    MPI_Aint begin = 0, extent = 0, true_begin = 0, true_extent = 0;
    if (real.Type_get_extent(datatype, &begin, &extent) != MPI_SUCCESS ||
        real.Type_get_true_extent(datatype, &true_begin, &true_extent) != MPI_SUCCESS)
        return;
    const int64_t size = ask(datatype);
    char *gaps = size != true_extent ? &within : size != extent ? &between : NULL;
    if (size > 0 && gaps && map_insert(&datatype_gaps, (uintptr_t)datatype, gaps))
        __atomic_store_n(&datatypes_have_gaps, 1, __ATOMIC_RELAXED);
}

uint64_t datatype_handling(int64_t count, MPI_Datatype datatype)
{
    const char *gaps = count > 0 ? map_find(&datatype_gaps, (uintptr_t)datatype) : NULL;
    return gaps && (gaps == &within || count > 1) ? key_of_handling(HANDLING_GAPS) : 0;
}

void datatype_freed(MPI_Datatype datatype)
{
    if (__atomic_load_n(&datatypes_have_gaps, __ATOMIC_RELAXED))
        map_remove(&datatype_gaps, (uintptr_t)datatype);
    pthread_mutex_lock(&lock);
    struct datatype_slot *slot = find((uintptr_t)datatype);
    if (slot)
        __atomic_store_n(&slot->key, (uintptr_t)0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}
