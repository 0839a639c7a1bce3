/* Communicators, groups and windows as the trace numbers them: each is defined when it is first
 * met. */
#define _GNU_SOURCE
#include "tracing.h"
#include "file.h"
#include "members.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct trace_header *header; /* NULL: nothing is traced */
static MPI_Group world;
static uint16_t communicator_count, window_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the numbers */

/* Of a program of sessions only it is the process set of that name. Without a world, ranks do not
 * know who they are. */
int trace_find_world(void)
{
    world = own_world.group;
    return record->rank.ranks > 0 && world != MPI_GROUP_NULL;
}

void trace_communicators_begin(struct trace_header *made)
{
    header = made;
}

void trace_communicators_forget(void)
{
    header = NULL;
}

/* Members of the own group as ranks of the world; 0 if one is of another world. */
static int translate(MPI_Group group, int first, int count, int32_t *ranks)
{
    int here[64], there[64];
    for (int done = 0; done < count; done += 64) {
        const int piece = count - done < 64 ? count - done : 64;
        for (int i = 0; i < piece; i++)
            here[i] = first + done + i;
        if (real.Group_translate_ranks(group, piece, here, world, there) != MPI_SUCCESS)
            return 0;
        for (int i = 0; i < piece; i++) {
            if (there[i] < 0)
                return 0;
            ranks[done + i] = there[i];
        }
    }
    return 1;
}

static MPI_Group own_group(struct communicator *communicator)
{
    MPI_Group group = MPI_GROUP_NULL;
    return communicator->inter ? real.Comm_group(communicator->handle, &group) == MPI_SUCCESS
                                     ? group
                                     : MPI_GROUP_NULL
                               : communicator_group(communicator);
}

/* The first two members name all: should the file of one be lost, the other tells. */
static int describe(struct communicator *communicator, struct communicator_definition *made,
                    int32_t *members)
{
    MPI_Group group = own_group(communicator);
    int good = group != MPI_GROUP_NULL && translate(group, 0, 1, &made->first) &&
               (!communicator->inter ||
                translate(communicator_group(communicator), 0, 1, &made->first_far));
    if (good && communicator->rank < 2 && !(made->flags & (IS_WORLD | IS_SELF)) &&
        communicator->size * sizeof *members < TRACE_DEFINITIONS_SIZE / 4 &&
        translate(group, 0, communicator->size, members))
        made->flags |= HAS_MEMBERS;
    if (communicator->inter && group != MPI_GROUP_NULL)
        real.Group_free(&group);
    return good;
}

static unsigned number_communicator(struct communicator *communicator)
{
    struct {
        struct communicator_definition made;
        int32_t members[];
    } *room = calloc(1, sizeof *room + (size_t)communicator->size * 4 + 8);
    unsigned number = 0;
    if (!room)
        return 0;
    room->made = (struct communicator_definition){
        { DEFINE_COMMUNICATOR, 0, sizeof room->made },
        communicator->salt,
        communicator->rank,
        communicator->size,
        -1,
        -1,
        communicator->inter ? communicator->partners : 0,
        (communicator->inter       ? IS_INTER
         : communicator->size == 1 ? IS_SELF
                                   : 0) |
            (communicator->handle == MPI_COMM_WORLD ? IS_WORLD : 0)
    };
    if (describe(communicator, &room->made, room->members) && communicator_count < UINT16_MAX) {
        number = room->made.head.number = ++communicator_count;
        if (room->made.flags & HAS_MEMBERS)
            room->made.head.size += ((uint32_t)communicator->size * 4 + 7) & ~7u;
        trace_file_define(header, room, room->made.head.size);
    }
    free(room);
    return number;
}

enum { MOST_GROUPS = 1 << 12 };
static uint64_t known_groups[MOST_GROUPS]; /* what each number stands for, as a hash */
static unsigned group_count;

/* Programs make the same groups again and again. */
static unsigned number_group(const int *ranks, int count)
{
    struct {
        struct group_definition made;
        int32_t ranks[];
    } *room = NULL;
    uint64_t hash = 0x9E3779B97F4A7C15ull + (uint64_t)count;
    for (int i = 0; i < count; i++)
        hash = (hash ^ (uint64_t)ranks[i]) * 0xD6E8FEB86659FD93ull, hash ^= hash >> 32;
    for (unsigned i = 0; i < group_count; i++)
        if (known_groups[i] == hash)
            return i + 1;
    const size_t size = sizeof room->made + (((size_t)count * 4 + 7) & ~(size_t)7);
    if (group_count == MOST_GROUPS || !(room = calloc(1, size))) {
        __atomic_fetch_add(&header->lost_definitions, 1, __ATOMIC_RELAXED);
        return 0;
    }
    room->made = (struct group_definition){
        { DEFINE_GROUP, (uint16_t)(group_count + 1), (uint32_t)size }, count, 0
    };
    for (int i = 0; i < count; i++)
        room->ranks[i] = ranks[i];
    known_groups[group_count++] = hash;
    trace_file_define(header, room, size);
    free(room);
    return group_count;
}

unsigned trace_group(MPI_Group group, int count, const int *ranks)
{
    int good = header && (ranks || real.Group_size(group, &count) == MPI_SUCCESS);
    int *here = good ? calloc((size_t)count * 2 + 1, sizeof *here) : NULL,
        *there = here ? here + count : NULL;
    unsigned number = 0;
    for (int i = 0; here && i < count; i++)
        here[i] = ranks ? ranks[i] : i;
    good = here &&
           (!count || real.Group_translate_ranks(group, count, here, world, there) == MPI_SUCCESS);
    for (int i = 0; good && i < count; i++)
        good = there[i] >= 0;
    if (good) {
        pthread_mutex_lock(&lock);
        number = number_group(there, count);
        pthread_mutex_unlock(&lock);
    }
    free(here);
    return number;
}

unsigned trace_communicator(struct communicator *communicator)
{
    if (!header || !communicator->salt)
        return 0;
    if (__atomic_load_n(&communicator->traced_salt, __ATOMIC_ACQUIRE) == communicator->salt)
        return communicator->traced;
    pthread_mutex_lock(&lock);
    if (communicator->traced_salt != communicator->salt) {
        communicator->traced = (uint16_t)number_communicator(communicator);
        __atomic_store_n(&communicator->traced_salt, communicator->salt, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return communicator->traced;
}

void trace_new_communicator(MPI_Comm handle)
{
    if (header && handle != MPI_COMM_NULL)
        trace_communicator(communicator_of(handle));
}

void trace_name(MPI_Comm handle, const char *name)
{
    struct name_definition made = { { DEFINE_NAME, 0, sizeof made }, "" };
    if (!header || handle == MPI_COMM_NULL)
        return;
    made.head.number = (uint16_t)trace_communicator(communicator_of(handle));
    snprintf(made.name, sizeof made.name, "%s", name);
    trace_define(&made, sizeof made);
}

/* Windows of a communicator are made in the same order on all its members. */
unsigned trace_number_window(struct communicator *communicator)
{
    struct window_definition made = { { DEFINE_WINDOW, 0, sizeof made }, 0, 0, { 0 } };
    if (!header || !(made.communicator = (uint16_t)trace_communicator(communicator)) ||
        window_count == UINT16_MAX)
        return 0;
    made.id = communicator->salt + 0x9E3779B97F4A7C15ull * ++communicator->traced_windows;
    made.head.number = ++window_count;
    trace_define(&made, sizeof made);
    return made.head.number;
}
