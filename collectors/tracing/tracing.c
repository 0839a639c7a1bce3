/* The ring, and what is written of calls, messages and collective operations. */
#define _GNU_SOURCE
#include "tracing.h"
#include "callers.h"
#include "clock.h"
#include "counters.h"
#include "events.h"
#include "file.h"
#include "lifecycle.h"
#include "operations.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static struct trace_header *header;
static struct trace_event *ring;
static uint64_t mask, wanted_from, wanted_span;     /* ticks */
static unsigned bits;
static int recording;
static struct wish wish;
static uint8_t *known_operations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;    /* of definitions */
static uint16_t communicator_count, window_count;
static MPI_Group world;
static __thread struct { const struct block *block; uint16_t number; } own __attribute__((tls_model("initial-exec")));

static uint16_t thread_number(const struct block *block)
{
    if (own.block == block)
        return own.number;
    own.block = block;
    for (own.number = 0; own.number < BLOCK_LIMIT && record->block[own.number] != block; own.number++)
        ;
    return own.number;
}

static void append(const struct block *block, struct trace_event event)
{
    const uint64_t place = __atomic_fetch_add(&header->head, 1, __ATOMIC_RELAXED);
    if (header->keep_first && place > mask)
        return;
    event.thread = thread_number(block);
    event.lap = (uint8_t)(1 + (place >> bits) % TRACE_LAPS);
    uint64_t words[4];
    memcpy(words, &event, sizeof words);
    uint64_t *to = (uint64_t *)&ring[place & mask];
    to[0] = words[0];
    to[1] = words[1];
    to[2] = words[2];
    __atomic_store_n(&to[3], words[3], __ATOMIC_RELEASE);
}

static int is_wanted(const struct block *block)
{
    return __atomic_load_n(&recording, __ATOMIC_RELAXED) && block->begin - wanted_from < wanted_span;
}

void trace_define(const void *definition, size_t size)
{
    pthread_mutex_lock(&lock);
    trace_file_define(header, definition, size);
    pthread_mutex_unlock(&lock);
}

static void define_operation(unsigned operation)
{
    struct operation_definition made = { { DEFINE_OPERATION, (uint16_t)operation, sizeof made }, "" };
    snprintf(made.name, sizeof made.name, "%s", operation_names[operation]);
    if (!__atomic_exchange_n(&known_operations[operation], 1, __ATOMIC_RELAXED))
        trace_define(&made, sizeof made);
}

void trace_part(const struct block *block, struct trace_event part)
{
    if (!is_wanted(block))
        return;
    if (part.operation && !__atomic_load_n(&known_operations[part.operation], __ATOMIC_RELAXED))
        define_operation(part.operation);
    append(block, part);
}

void trace_call(const struct block *block, unsigned operation, const void *caller)
{
    uint64_t site = caller_address(caller);
    if (site - layer_low < layer_size)
        site = caller_above_layer(caller, operation);
    trace_part(block, (struct trace_event){ .begin = block->begin, .end = block->last, .site = site,
        .operation = (uint16_t)operation, .kind = EVENT_CALL });
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

static MPI_Group own_group(const struct communicator *communicator)
{
    MPI_Group group = MPI_GROUP_NULL;
    return communicator->inter ? real.Comm_group(communicator->handle, &group) == MPI_SUCCESS ? group : MPI_GROUP_NULL : communicator->group;
}

/* The first two members name all: should the file of one be lost, the other tells. */
static int describe(struct communicator *communicator, struct communicator_definition *made, int32_t *members)
{
    MPI_Group group = own_group(communicator);
    int good = group != MPI_GROUP_NULL && translate(group, 0, 1, &made->first)
        && (!communicator->inter || translate(communicator->group, 0, 1, &made->first_far));
    if (good && communicator->rank < 2 && !(made->flags & (IS_WORLD | IS_SELF))
        && communicator->size * sizeof *members < TRACE_DEFINITIONS_SIZE / 4 && translate(group, 0, communicator->size, members))
        made->flags |= HAS_MEMBERS;
    if (communicator->inter && group != MPI_GROUP_NULL)
        real.Group_free(&group);
    return good;
}

static unsigned number_communicator(struct communicator *communicator)
{
    struct { struct communicator_definition made; int32_t members[]; } *room = calloc(1, sizeof *room + (size_t)communicator->size * 4 + 8);
    unsigned number = 0;
    if (!room)
        return 0;
    room->made = (struct communicator_definition){ { DEFINE_COMMUNICATOR, 0, sizeof room->made }, communicator->salt, communicator->rank, communicator->size,
        -1, -1, communicator->inter ? communicator->partners : 0,
        (communicator->inter ? IS_INTER : communicator->size == 1 ? IS_SELF : 0) | (communicator->handle == MPI_COMM_WORLD ? IS_WORLD : 0) };
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
static uint64_t known_groups[MOST_GROUPS];       /* what each number stands for, as a hash */
static unsigned group_count;

/* Programs make the same groups again and again. */
static unsigned number_group(const int *ranks, int count)
{
    struct { struct group_definition made; int32_t ranks[]; } *room = NULL;
    uint64_t hash = 0x9E3779B97F4A7C15ull + (uint64_t)count;
    for (int i = 0; i < count; i++)
        hash = (hash ^ (uint64_t)ranks[i]) * 0xD6E8FEB86659FD93ull, hash ^= hash >> 32;
    for (unsigned i = 0; i < group_count; i++)
        if (known_groups[i] == hash)
            return i + 1;
    const size_t size = sizeof room->made + (((size_t)count * 4 + 7) & ~(size_t)7);
    if (group_count == MOST_GROUPS || !(room = calloc(1, size))) {
        header->lost_definitions++;
        return 0;
    }
    room->made = (struct group_definition){ { DEFINE_GROUP, (uint16_t)(group_count + 1), (uint32_t)size }, count, 0 };
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
    int *here = good ? calloc((size_t)count * 2 + 1, sizeof *here) : NULL, *there = here ? here + count : NULL;
    unsigned number = 0;
    for (int i = 0; here && i < count; i++)
        here[i] = ranks ? ranks[i] : i;
    good = here && (!count || real.Group_translate_ranks(group, count, here, world, there) == MPI_SUCCESS);
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

void trace_collective(const struct block *block, unsigned operation, struct communicator *communicator, int64_t bytes, int root)
{
    const int32_t who = root >= 0 ? root : root == MPI_ROOT ? ROOT_SELF : root == MPI_PROC_NULL ? ROOT_THIS_GROUP : ROOT_NONE;
    const unsigned number = trace_communicator(communicator);
    if (number)
        trace_part(block, (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0, .peer = who, .communicator = (uint16_t)number,
            .operation = (uint16_t)operation, .kind = EVENT_COLLECTIVE });
}

void trace_send(const struct block *block, struct communicator *communicator, int peer, int tag, int64_t bytes)
{
    const unsigned number = peer >= 0 ? trace_communicator(communicator) : 0;
    if (number)
        trace_part(block, (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0, .peer = peer, .tag = tag, .communicator = (uint16_t)number, .kind = EVENT_SEND });
}

/* Windows of a communicator are made in the same order on all its members. */
unsigned trace_number_window(struct communicator *communicator)
{
    struct window_definition made = { { DEFINE_WINDOW, 0, sizeof made }, 0, 0, { 0 } };
    if (!header || !(made.communicator = (uint16_t)trace_communicator(communicator)) || window_count == UINT16_MAX)
        return 0;
    made.id = communicator->salt + 0x9E3779B97F4A7C15ull * ++communicator->traced_windows;
    made.head.number = ++window_count;
    trace_define(&made, sizeof made);
    return made.head.number;
}

static uint64_t ticks_at(double time) { return record->rank.origin_ticks - (uint64_t)(int64_t)((record->rank.origin_time - time) / record->rank.seconds_per_tick); }

static void describe_rank(void)
{
    const struct rank_record *rank = &record->rank;
    header->rank = rank->rank;
    header->ranks = rank->ranks;
    header->seconds_per_tick = rank->seconds_per_tick;
    header->origin_time = rank->origin_time;
    header->origin_ticks = rank->origin_ticks;
    header->init_begin = rank->sessions_only ? 0 : ticks_at(rank->init_begin);
    header->init_end = clock_ticks();
    header->threads_asked = rank->thread_requested;
    snprintf(header->node, sizeof header->node, "%s", rank->node_name);
    snprintf(header->program, sizeof header->program, "%s", program_invocation_short_name);
    snprintf(header->library, sizeof header->library, "%.255s", rank->library);
}

static void forked(void)
{
    header = NULL;
    recording = 0;
    trace_file_forget();
}

/* Seconds that an event takes, so that the report says what measuring took. */
static double calibrate(void)
{
    enum { TIMES = 1000 };
    const uint64_t begin = clock_ticks();
    for (int i = 0; i < TIMES; i++)
        append(record->block[0], (struct trace_event){ 0 });
    const double ticks = (double)(clock_ticks() - begin);
    memset(ring, 0, TIMES * sizeof *ring);
    header->head = 0;
    return ticks / TIMES * record->rank.seconds_per_tick;
}

/* Of a program of sessions only it is the process set of that name. Without a world, ranks do not know who they are. */
static int find_world(void)
{
    if (record->rank.ranks < 1 || header)
        return 0;
#if defined(HAS_SESSIONS)
    if (record->rank.sessions_only) {
        world = job_session_world();
        return world != MPI_GROUP_NULL;
    }
#endif
    return real.Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS;
}

void trace_start(void)
{
    const char *text = getenv("ADVISOR_TRACE");
    if (!text || !wish_read(text, &wish) || !find_world() || !(known_operations = calloc(operation_count, 1)))
        return;
    struct trace_header *made = trace_file_open(&wish);
    if (!made)
        return;
    ring = trace_file_events(made);
    mask = made->capacity - 1;
    bits = (unsigned)__builtin_ctzll(made->capacity);
    header = made;
    describe_rank();
    record->rank.event_cost += calibrate();
    const double tick = record->rank.seconds_per_tick;
    wanted_from = header->init_end + (uint64_t)(wish.from / tick);
    wanted_span = wish.to > 0 ? (uint64_t)((wish.to - wish.from) / tick) : UINT64_MAX;
    wanted_from -= wish.from > 0 || wish.to > 0 ? 0 : wanted_from;
    pthread_atfork(NULL, NULL, forked);
    if (!record->rank.sessions_only) {
        trace_communicator(communicator_of(MPI_COMM_WORLD));
        trace_communicator(communicator_of(MPI_COMM_SELF));
    }
    trace_modules();
    counters_told = trace_counters;
    memcpy(header->magic, TRACE_MAGIC, sizeof header->magic);
    recording = !wish.has_region;
}

void trace_region(int level)
{
    if (header && wish.has_region)
        __atomic_store_n(&recording, level == wish.region, __ATOMIC_RELAXED);
}

void trace_level(const struct block *block, int level)
{
    trace_part(block, (struct trace_event){ .tag = level, .kind = EVENT_LEVEL });
}

void trace_stop(void)
{
    __atomic_store_n(&recording, 0, __ATOMIC_RELAXED);
    if (!header)
        return;
    if (record->rank.state == STATE_FINALIZED)
        header->finalize_begin = clock_ticks();
    header->seconds_per_tick = record->rank.seconds_per_tick;
    header->lost_requests = trace_lost_requests();
    trace_modules();
}

void trace_clock(const struct clock_map *map)
{
    if (!header)
        return;
    header->map_rate = map->rate;
    header->map_shift = map->shift;
    header->map_error = map->error;
    header->map_first = map->first;
    header->has_map = map->rate > 0;
}

void trace_end(void)
{
    if (!header || header->finalize_end)
        return;
    header->finalize_end = clock_ticks();
    trace_file_close(header, header->rank);
}
