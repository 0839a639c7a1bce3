#define _GNU_SOURCE
#include "communicator_memory.h"
#include "members.h"
#include "sampling_limits.h"
#include "clock.h"
#include "events.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FURTHER_MAPS = 15
}; /* 65 000 communicators at once; what is more shares the description of the unknown ones */
struct map communicator_map = MAP_START_GROWING(FURTHER_MAPS);

/* A forked child has no record. */
static void took_since(uint64_t begin)
{
    if (record)
        __atomic_add_fetch(&record->rank.describing_ticks, clock_ticks() - begin, __ATOMIC_RELAXED);
}

/* Without snprintf, which takes a quarter of all that is done for a new communicator. A row that
 * several share keeps the first one's. */
static void take_name(MPI_Comm handle, unsigned row)
{
    char name[MPI_MAX_OBJECT_NAME] = "", *kept = record->communicators[row].name;
    int length = 0;
    if (row <= 1 || *kept || !real.Comm_get_name ||
        real.Comm_get_name(handle, name, &length) != MPI_SUCCESS)
        return;
    const size_t room = sizeof record->communicators[row].name - 1,
                 size = strnlen(name, room < sizeof name ? room : sizeof name);
    memcpy(kept, name, size);
    kept[size] = 0;
}

static void take_row(struct communicator *made, struct identity identity, unsigned row)
{
    made->row = row;
    made->list = identity.list;
    made->key = event_key(0, made->class, 0, row);
    made->salt = made->state = identity.salt;
}

/* An intercommunicator has two groups, and who waits for whom differs: it is counted, not sampled.
 */
static void take_identity(struct communicator *made, const struct members *members, uint64_t hash)
{
    struct identity identity = members_identity(hash);
    take_row(made, identity, members_row(members, made->class, identity.id));
    if (!identity.salt && made->size > 1)
        sampling_not(UNSAMPLED_COMMUNICATORS);
    int sampled = identity.salt && !made->inter && made->size > 1 && made->class != CLASS_UNKNOWN;
    int large = (int64_t)made->size * 8 >= own_world.size;
    made->collectives = &record->reservoirs[!sampled ? RESERVOIR_NONE
                                            : large  ? RESERVOIR_WORLD
                                                     : RESERVOIR_OTHER];
    made->messages = &record->reservoirs[sampled ? RESERVOIR_MESSAGES : RESERVOIR_NONE];
}

/* 0: there is no room, its calls are counted only. `communicators_lock` is held. */
static int put(struct communicator *made, MPI_Comm handle)
{
    if (map_insert_alone(&communicator_map, (uintptr_t)handle, made))
        return 1;
    sampling_not(UNSAMPLED_COMMUNICATORS);
    record->rank.overflowed_communicators++;
    communicator_release(made);
    return 0;
}

/* `communicators_lock` is held. */
static struct communicator *describe(MPI_Comm handle)
{
    struct communicator *made = communicator_new();
    MPI_Group local;
    if (!made || real.Comm_group(handle, &local) != MPI_SUCCESS) {
        communicator_discard(made);
        return NULL;
    }
    made->handle = handle;
    made->group = local;
    made->degree = -1;
    real.Group_rank(local, &made->rank);
    real.Comm_test_inter(handle, &made->inter);
    struct members members = members_of(local);
    made->size = made->partners = members.size;
    made->class = members_class(&members);
    if (made->inter) {
        real.Comm_remote_group(handle, &made->group);
        real.Group_free(&local);
        struct members remote = members_of(made->group);
        made->partners = remote.size;
        made->class = CLASS_INTER;
        members.hash += remote.hash; /* the same on both sides */
        members.size += remote.size;
        members.nodes += remote.nodes;
    }
    made->world = members.is_world && !made->inter;
    take_identity(made, &members, members.hash);
    return made;
}

static struct communicator *meet_locked(MPI_Comm handle, int anew)
{
    struct communicator *known = map_find(&communicator_map, (uintptr_t)handle);
    if (known && !anew)
        return known;
    struct communicator *made = describe(handle);
    if (!made)
        return &communicator_unknown;
    if (!put(made, handle))
        return &communicator_unknown;
    take_name(handle, made->row);
    return made;
}

struct communicator *communicator_meet(MPI_Comm handle)
{
    if (!record || handle == MPI_COMM_NULL)
        return &communicator_unknown;
    pthread_mutex_lock(&communicators_lock);
    struct communicator *made = meet_locked(handle, 0);
    pthread_mutex_unlock(&communicators_lock);
    return made;
}

struct communicator *communicator_find(MPI_Comm handle)
{
    struct communicator *found = map_find(&communicator_map, (uintptr_t)handle);
    return found ? found : communicator_meet(handle);
}

/* Its members have agreed on it: nobody has it before all have come. */
void communicator_created(MPI_Comm handle, unsigned operation, uint64_t exit)
{
    if (!record || handle == MPI_COMM_NULL)
        return;
    pthread_mutex_lock(&communicators_lock);
    struct communicator *made = meet_locked(handle, 1);
    if (made != &communicator_unknown) {
        made->last_exit = exit;
        made->last_operation = operation;
    }
    pthread_mutex_unlock(&communicators_lock);
    took_since(exit);
}

/* As `from` was when it was new; its group is not asked yet. `communicators_lock` is held. */
static void make_like(struct communicator *made, const struct communicator *from, MPI_Comm handle)
{
    *made = *from;
    made->peers = &made->nobody;
    made->peer_mask = 0;
    made->neighbours = NULL;
    made->windows = made->persistents = 0;
    made->held = 0;
    made->open_receives = 0;
    made->degree = -1;
    made->nobody = (struct known_peer){ .who = NOBODY };
    made->handle = handle;
    made->group = MPI_GROUP_NULL;
}

/* All that the library could say of it is known: it has no name yet, and its group is asked for
 * with the first message to a peer. */
void communicator_copied(MPI_Comm parent, MPI_Comm handle, unsigned operation, uint64_t exit)
{
    const struct communicator *from = communicator_of(parent);
    struct communicator *made = !record || from->inter || from->row <= 1 || from->list == NO_LIST
                                    ? NULL
                                    : communicator_allocate();
    if (!made) {
        communicator_created(handle, operation, exit);
        return;
    }
    pthread_mutex_lock(&communicators_lock);
    make_like(made, from, handle);
    const struct identity identity = members_again(from->list);
    take_row(made, identity, members_row_like(identity, from->row));
    made->last_exit = exit;
    made->last_operation = operation;
    put(made, handle);
    pthread_mutex_unlock(&communicators_lock);
    took_since(exit);
}

void communicator_duplicated(MPI_Comm parent, MPI_Comm handle)
{
    const uint64_t begin = clock_ticks();
    struct communicator *from = communicator_of(parent);
    MPI_Group group = record ? communicator_group(from) : MPI_GROUP_NULL;
    struct communicator *made = group == MPI_GROUP_NULL ? NULL : communicator_allocate();
    if (!made)
        return;
    pthread_mutex_lock(&communicators_lock);
    make_like(made, from, handle);
    if (real.Group_union(group, group, &made->group) != MPI_SUCCESS)
        made->group = group;
    struct members members = members_of(made->group);
    uint64_t hash = members.hash;
    if (made->inter) {
        members.size += made->size;
        hash = record->communicators[from->row].id;
    }
    take_identity(made, &members, hash);
    put(made, handle);
    pthread_mutex_unlock(&communicators_lock);
    took_since(begin);
}

void communicator_freed(MPI_Comm handle)
{
    const uint64_t begin = clock_ticks();
    pthread_mutex_lock(
        &communicators_lock); /* another thread may have a communicator in the same row */
    struct communicator *gone = map_remove_alone(&communicator_map, (uintptr_t)handle);
    const int held = gone && gone->held != 0;
    if (gone && gone->row > 1)
        record->communicators[gone->row].freed = 1;
    if (held)
        communicator_ask_group(gone);
    if (gone)
        gone->gone = 1;
    pthread_mutex_unlock(&communicators_lock);
    if (!gone)
        return;
    if (!held)
        communicator_release(gone);
    took_since(begin);
}

void communicator_named(MPI_Comm handle, const char *name)
{
    struct communicator *known = communicator_of(handle);
    pthread_mutex_lock(&communicators_lock);
    if (known->row > 1)
        snprintf(record->communicators[known->row].name, sizeof record->communicators[0].name, "%s",
                 name);
    pthread_mutex_unlock(&communicators_lock);
}

struct communicator *communicator_of_group(MPI_Group group)
{
    struct communicator *made = communicator_new();
    if (!made)
        return &communicator_unknown;
    struct members members = members_of(group);
    made->group = group;
    made->size = made->partners = members.size;
    made->class = members_class(&members);
    made->world = members.is_world;
    made->key = event_key(0, made->class, 0,
                          0); /* its calls are counted and sampled without a communicator */
    real.Group_rank(group, &made->rank);
    return made;
}

/* Members number the windows of a communicator alike; each numbers its fences from a place of its
 * own. */
void communicator_of_window(struct communicator *made, MPI_Comm comm)
{
    struct communicator *parent = communicator_of(comm);
    if (made == &communicator_unknown || !parent->salt || parent->inter)
        return;
    made->salt = made->state = members_mix(parent->salt + ++parent->windows);
    made->collectives = parent->collectives;
}

int communicator_ranks(struct communicator *communicator, MPI_Group group, int *ranks, int room,
                       int *count)
{
    int asked[MOST_NEIGHBOURS];
    if (real.Group_size(group, count) != MPI_SUCCESS || *count > room || *count > MOST_NEIGHBOURS)
        return 0;
    for (int i = 0; i < *count; i++)
        asked[i] = i;
    return !*count ||
           real.Group_translate_ranks(group, *count, asked, communicator_group(communicator),
                                      ranks) == MPI_SUCCESS;
}

uint64_t communicator_new_state(struct communicator *communicator)
{
    return communicator->salt ? members_mix(~communicator->salt + ++communicator->persistents) : 0;
}

void communicators_start(int rank, int size, MPI_Group world, uint32_t *nodes)
{
    own_world = (struct world){ rank, size, world, nodes };
    record->communicators[1].used = 0;
}

uint64_t communicators_memory(void)
{
    return communicator_memory() + map_grown(&communicator_map);
}
