#include "datatypes.h"
#include <pthread.h>

struct datatype_slot datatype_slots[DATATYPE_SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t ask(MPI_Datatype datatype)
{
    MPI_Count large = 0;
    int size = 0;
    if (real.Type_size_x && real.Type_size_x(datatype, &large) == MPI_SUCCESS)
        return large < 0 ? 0 : (int64_t)large;
    return real.Type_size(datatype, &size) == MPI_SUCCESS && size > 0 ? size : 0;
}

int64_t datatype_size_slow(MPI_Datatype datatype)
{
    struct datatype_slot *slot = datatype_slot_of(datatype);
    int64_t size = ask(datatype);
    pthread_mutex_lock(&lock);
    __atomic_store_n(&slot->key, (uintptr_t)0, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->size, size, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->key, (uintptr_t)datatype, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return size;
}

void datatype_freed(MPI_Datatype datatype)
{
    struct datatype_slot *slot = datatype_slot_of(datatype);
    pthread_mutex_lock(&lock);
    if (slot->key == (uintptr_t)datatype)
        __atomic_store_n(&slot->key, (uintptr_t)0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}
