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

void datatype_freed(MPI_Datatype datatype)
{
    pthread_mutex_lock(&lock);
    struct datatype_slot *slot = find((uintptr_t)datatype);
    if (slot)
        __atomic_store_n(&slot->key, (uintptr_t)0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}
