/* Sizes of datatypes, remembered until MPI_Type_free. */
#ifndef ADVISOR_DATATYPES_H
#define ADVISOR_DATATYPES_H

#include "library.h"
#include <stdint.h>

enum { DATATYPE_SLOTS = 256 };   /* a power of two */
struct datatype_slot { uintptr_t key; int64_t size; };
extern struct datatype_slot datatype_slots[DATATYPE_SLOTS] __attribute__((visibility("hidden")));

int64_t datatype_size_slow(MPI_Datatype datatype);
void datatype_freed(MPI_Datatype datatype);

static inline struct datatype_slot *datatype_slot_of(MPI_Datatype datatype)
{
    return &datatype_slots[(uint64_t)(uintptr_t)datatype * 0x9E3779B97F4A7C15ull >> 56];
}

/* The key is read again after the size: another thread may have put another type there in between. */
static inline int64_t datatype_size(MPI_Datatype datatype)
{
    struct datatype_slot *slot = datatype_slot_of(datatype);
    uintptr_t key = (uintptr_t)datatype;
    if (__builtin_expect(__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) == key, 1)) {
        int64_t size = __atomic_load_n(&slot->size, __ATOMIC_ACQUIRE);
        if (__builtin_expect(__atomic_load_n(&slot->key, __ATOMIC_RELAXED) == key, 1))
            return size;
    }
    return datatype_size_slow(datatype);
}

/* With a count of 0 the type may be anything. */
static inline int64_t datatype_payload(int64_t count, MPI_Datatype datatype)
{
    return __builtin_expect(count > 0, 1) ? count * datatype_size(datatype) : 0;
}

#endif
