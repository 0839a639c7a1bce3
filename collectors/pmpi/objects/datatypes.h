/* Sizes of datatypes, and which of them have gaps, remembered until MPI_Type_free. */
#ifndef ADVISOR_DATATYPES_H
#define ADVISOR_DATATYPES_H

#include "library.h"
#include "map.h"
#include "record.h"
#include <stdint.h>

enum {
    DATATYPE_SLOTS = 256,
    DATATYPE_PROBES = 8
}; /* a power of two; slots looked at from the first choice on */
struct datatype_slot {
    uintptr_t key;
    int64_t size;
};
extern struct datatype_slot datatype_slots[DATATYPE_SLOTS + DATATYPE_PROBES]
    __attribute__((visibility("hidden")));

int64_t datatype_size_slow(MPI_Datatype datatype);
void datatype_freed(MPI_Datatype datatype);

/* The program has this type, which may be used in messages from now on. It is asked here, once: a
 * handle that is handed to a call later is only looked up, as it may be anything where the call
 * ignores it. */
void datatype_committed(MPI_Datatype datatype);
extern int datatypes_have_gaps
    __attribute__((visibility("hidden"))); /* not 0: some type had, in this process */
extern struct map datatype_gaps __attribute__((visibility("hidden")));

/* HANDLING_GAPS as a part of the key, or 0: `count` elements lie in one piece, or are none. */
uint64_t datatype_handling(int64_t count, MPI_Datatype datatype);

/* The place in bytes at once, and kept: compilers shift to and fro otherwise. */
static inline struct datatype_slot *datatype_slot_of(MPI_Datatype datatype)
{
    _Static_assert(DATATYPE_SLOTS == 1 << 8 && sizeof(struct datatype_slot) == 1 << 4,
                   "8 bits of slot, 4 of size");
    struct datatype_slot *slot =
        (struct datatype_slot *)((char *)datatype_slots +
                                 ((uint64_t)(uintptr_t)datatype * 0x9E3779B97F4A7C15ull >> 52 &
                                  ~15ull));
    __asm__("" : "+r"(slot));
    return slot;
}

/* A slot belongs to one type until that is freed, so a reader that finds its key finds its size. */
static inline int64_t datatype_size(MPI_Datatype datatype)
{
    struct datatype_slot *slot = datatype_slot_of(datatype);
    if (__builtin_expect(__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) == (uintptr_t)datatype, 1))
        return slot->size;
    return datatype_size_slow(datatype);
}

/* With a count of 0 the type may be anything. */
static inline int64_t datatype_payload(int64_t count, MPI_Datatype datatype)
{
    return __builtin_expect(count > 0, 1) ? count * datatype_size(datatype) : 0;
}

#endif
