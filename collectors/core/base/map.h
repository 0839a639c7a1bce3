/* Maps a handle of the MPI library to our description of it. Read without a lock, written under
 * one.
 *
 * Fixed size, open addressing, at most PROBES steps: what finds no room is not kept, and the reader
 * gets NULL again. A map that may grow goes on in another one of the same size; whoever finds his
 * place at once, as nearly all do, knows nothing of that. */
#ifndef ADVISOR_MAP_H
#define ADVISOR_MAP_H

#include <stdint.h>
#include <pthread.h>

enum { MAP_BITS = 12, MAP_SLOTS = 1 << MAP_BITS, MAP_PROBES = 32 };
enum { MAP_EMPTY = 0, MAP_REMOVED = ~0 };

struct map_slot {
    uintptr_t key;
    void *value;
};
struct map {
    struct map_slot slots[MAP_SLOTS + MAP_PROBES];
    struct map *next;
    int may_grow;
    pthread_mutex_t lock;
}; /* may_grow: by that many more */
#define MAP_START               { .lock = PTHREAD_MUTEX_INITIALIZER }
#define MAP_START_GROWING(more) { .may_grow = more, .lock = PTHREAD_MUTEX_INITIALIZER }

static inline unsigned map_slot_of(uintptr_t key)
{
    return (unsigned)((uint64_t)key * 0x9E3779B97F4A7C15ull >> (64 - MAP_BITS));
}

void *map_find_further(struct map *map, uintptr_t key);

/* The first place of a key, in bytes at once, and kept: compilers shift to and fro otherwise. */
static inline __attribute__((always_inline)) struct map_slot *map_slot_at(struct map *map,
                                                                          uintptr_t key)
{
    _Static_assert(sizeof(struct map_slot) == 1 << 4, "4 bits of size");
    struct map_slot *slot =
        (struct map_slot *)((char *)map->slots +
                            ((uint64_t)key * 0x9E3779B97F4A7C15ull >> (60 - MAP_BITS) & ~15ull));
    __asm__("" : "+r"(slot));
    return slot;
}

static inline __attribute__((always_inline)) void *map_find(struct map *map, uintptr_t key)
{
    struct map_slot *slot = map_slot_at(map, key);
    if (__builtin_expect(__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) == key, 1))
        return slot->value;
    return map_find_further(map, key);
}

int map_insert(struct map *map, uintptr_t key, void *value); /* 0: no room */
void *map_remove(struct map *map, uintptr_t key);            /* the value, NULL if there was none */
/* The same where the caller keeps other threads that write out. */
int map_insert_alone(struct map *map, uintptr_t key, void *value);
void *map_remove_alone(struct map *map, uintptr_t key);
uint64_t map_grown(const struct map *map); /* bytes allocated for what did not fit */

#endif
