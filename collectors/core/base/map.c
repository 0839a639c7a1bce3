#include "map.h"
#include <stdlib.h>

/* NULL: it is not here. */
static struct map_slot *slot_with(struct map *map, uintptr_t key)
{
    struct map_slot *slot = &map->slots[map_slot_of(key)];
    for (int i = 0; i < MAP_PROBES; i++, slot++) {
        const uintptr_t found = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
        if (found == key)
            return slot;
        if (found == MAP_EMPTY)
            return NULL;
    }
    return NULL;
}

static struct map *next_of(struct map *map)
{
    return __atomic_load_n(&map->next, __ATOMIC_ACQUIRE);
}

static struct map_slot *slot_anywhere(struct map *map, uintptr_t key)
{
    struct map_slot *slot = NULL;
    for (; map && !slot; map = next_of(map))
        slot = slot_with(map, key);
    return slot;
}

void *map_find_further(struct map *map, uintptr_t key)
{
    const struct map_slot *slot = slot_anywhere(map, key);
    return slot ? slot->value : NULL;
}

static struct map_slot *empty_slot(struct map *map, uintptr_t key)
{
    struct map_slot *slot = &map->slots[map_slot_of(key)];
    for (int i = 0; i < MAP_PROBES; i++, slot++)
        if (slot->key == MAP_EMPTY || slot->key == (uintptr_t)MAP_REMOVED)
            return slot;
    return NULL;
}

static struct map *grow(struct map *map)
{
    struct map *made = map->may_grow ? calloc(1, sizeof *made) : NULL;
    if (made)
        made->may_grow = map->may_grow - 1;
    __atomic_store_n(&map->next, made, __ATOMIC_RELEASE);
    return made;
}

/* The slot that has the key, else the first one with room; NULL: neither. One pass, as nearly all
 * maps have no next one. */
static inline struct map_slot *place_of(struct map *map, uintptr_t key)
{
    struct map_slot *slot = &map->slots[map_slot_of(key)], *room = NULL;
    for (int i = 0; i < MAP_PROBES; i++, slot++) {
        if (slot->key == key)
            return slot;
        if (!room && (slot->key == MAP_EMPTY || slot->key == (uintptr_t)MAP_REMOVED))
            room = slot;
        if (slot->key == MAP_EMPTY)
            break;
    }
    return room;
}

/* The same where there are further maps, or none of them has room. */
static struct map_slot *further_place(struct map *map, uintptr_t key)
{
    struct map_slot *room = slot_anywhere(map, key);
    for (; !room && map; map = map->next ? map->next : room ? NULL : grow(map))
        room = empty_slot(map, key);
    return room;
}

/* The value is written before the key: a reader that sees the key sees its value. */
int map_insert_alone(struct map *map, uintptr_t key, void *value)
{
    struct map_slot *room = place_of(map, key);
    if (map->next || !room)
        room = further_place(map, key);
    if (room) {
        room->value = value;
        __atomic_store_n(&room->key, key, __ATOMIC_RELEASE);
    }
    return room != NULL;
}

void *map_remove_alone(struct map *map, uintptr_t key)
{
    struct map_slot *slot = slot_anywhere(map, key);
    if (!slot)
        return NULL;
    void *value = slot->value;
    __atomic_store_n(&slot->key, (uintptr_t)MAP_REMOVED, __ATOMIC_RELEASE);
    return value;
}

uint64_t map_grown(const struct map *map)
{
    uint64_t bytes = 0;
    while ((map = map->next))
        bytes += sizeof *map;
    return bytes;
}

int map_insert(struct map *map, uintptr_t key, void *value)
{
    pthread_mutex_lock(&map->lock);
    const int found_room = map_insert_alone(map, key, value);
    pthread_mutex_unlock(&map->lock);
    return found_room;
}

void *map_remove(struct map *map, uintptr_t key)
{
    pthread_mutex_lock(&map->lock);
    void *value = map_remove_alone(map, key);
    pthread_mutex_unlock(&map->lock);
    return value;
}
