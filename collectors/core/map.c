#include "map.h"
#include <stddef.h>

void *map_find_further(struct map *map, uintptr_t key)
{
    struct map_slot *slot = &map->slots[map_slot_of(key)];
    for (int i = 0; i < MAP_PROBES; i++, slot++) {
        uintptr_t found = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
        if (found == key)
            return slot->value;
        if (found == MAP_EMPTY)
            return NULL;
    }
    return NULL;
}

/* The value is written before the key: a reader that sees the key sees its value. */
int map_insert_alone(struct map *map, uintptr_t key, void *value)
{
    struct map_slot *slot = &map->slots[map_slot_of(key)], *room = NULL;
    for (int i = 0; i < MAP_PROBES; i++, slot++) {
        if (slot->key == key) {
            room = slot;
            break;
        }
        if (!room && (slot->key == MAP_EMPTY || slot->key == (uintptr_t)MAP_REMOVED))
            room = slot;
        if (slot->key == MAP_EMPTY)
            break;
    }
    if (room) {
        room->value = value;
        __atomic_store_n(&room->key, key, __ATOMIC_RELEASE);
    }
    return room != NULL;
}

void *map_remove_alone(struct map *map, uintptr_t key)
{
    struct map_slot *slot = &map->slots[map_slot_of(key)];
    void *value = NULL;
    for (int i = 0; i < MAP_PROBES && slot->key != MAP_EMPTY; i++, slot++)
        if (slot->key == key) {
            value = slot->value;
            __atomic_store_n(&slot->key, (uintptr_t)MAP_REMOVED, __ATOMIC_RELEASE);
            break;
        }
    return value;
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
