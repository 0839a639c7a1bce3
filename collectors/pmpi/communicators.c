#define _GNU_SOURCE
#include "communicators.h"
#include "events.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct map communicator_map = MAP_START;

static int world_rank, world_size;
static MPI_Group world_group;
static uint32_t *node_of;          /* by world rank */
static uint32_t order;             /* communicators seen */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Before the record exists, and where memory ran out. */
static struct reservoir nowhere;
static struct communicator unknown;
static struct communicator unknown = { .key = (uint64_t)CLASS_UNKNOWN << 16 | 1ull << 32, .class = CLASS_UNKNOWN, .row = 1, .rank = 0, .size = 1, .partners = 0, .degree = 0, .peers = &unknown.nobody, .nobody.who = NOBODY, .collectives = &nowhere, .messages = &nowhere };

/* How often a list of members was met: the members make communicators with the same list in the same order, so the
 * hash of (list, count) is the same on all of them, without communication. */
enum { LISTS = 1024, OWN_ROWS = 8 };   /* the ninth communicator of one list, and all later ones, share a row: programs split in loops */
static struct { uint64_t hash; uint32_t count; } lists[LISTS];

static uint64_t living;            /* descriptions allocated and not yet released */
static uint64_t living_peers;      /* and their known peers */

static struct communicator *allocate(void)
{
    struct communicator *made = calloc(1, sizeof *made);
    if (made)
        __atomic_add_fetch(&living, 1, __ATOMIC_RELAXED);
    return made;
}

static void discard(struct communicator *made)
{
    if (!made)
        return;
    __atomic_sub_fetch(&living, 1, __ATOMIC_RELAXED);
    if (made->peers && made->peers != &made->nobody) {
        __atomic_sub_fetch(&living_peers, made->peer_mask + 1, __ATOMIC_RELAXED);
        free(made->peers);
    }
    free(made->neighbours);
    free(made->epochs);
    free(made);
}

uint64_t communicators_memory(void)
{
    return __atomic_load_n(&living, __ATOMIC_RELAXED) * sizeof(struct communicator)
        + __atomic_load_n(&living_peers, __ATOMIC_RELAXED) * sizeof(struct known_peer);
}

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ value >> 27) * 0x94D049BB133111EBull;
    return value ^ value >> 31;
}

/* Both 0: there are too many lists to count the communicators of this one, so that no id can be told that all members agree
 * on. `salt` tells the ninth of a list from the tenth, `id` does not. */
struct identity { uint64_t id, salt; };

static struct identity identity_of(uint64_t hash)
{
    unsigned slot = hash % LISTS, steps = 0;
    while (lists[slot].count && lists[slot].hash != hash && ++steps < LISTS)
        slot = (slot + 1) % LISTS;
    if (steps == LISTS)
        return (struct identity){ 0, 0 };
    lists[slot].hash = hash;
    uint32_t count = ++lists[slot].count;
    uint64_t id = mix(hash + 0x9E3779B97F4A7C15ull * (count <= OWN_ROWS ? count : OWN_ROWS + 1));
    return (struct identity){ id ? id : 1, mix(~hash + 0x9E3779B97F4A7C15ull * count) };
}

struct members { uint64_t hash; int size, nodes, unknown, is_world, first; };

static void note_node(struct members *members, uint8_t *seen, int world)
{
    if (world < 0 || world >= world_size || !node_of) {
        members->unknown++;
        return;
    }
    uint32_t node = node_of[world];
    if (!(seen[node >> 3] & 1u << (node & 7))) {
        seen[node >> 3] |= (uint8_t)(1u << (node & 7));
        members->nodes++;
    }
}

/* One look at all members, in pieces: a group may be as large as the world. */
static struct members look_at(MPI_Group group)
{
    enum { PIECE = 1024 };
    int ranks[PIECE], world[PIECE];
    struct members members = { .hash = 0x243F6A8885A308D3ull };
    uint8_t few[64] = { 0 }, *seen = (size_t)world_size / 8 < sizeof few ? few : calloc((size_t)world_size / 8 + 1, 1);
    if (!seen || world_group == MPI_GROUP_NULL || real.Group_size(group, &members.size) != MPI_SUCCESS)
        members.size = 0;
    members.is_world = members.size == world_size;
    if (world_group == MPI_GROUP_NULL) {   /* nobody can tell: asking would end the job */
        members.unknown = members.size;
        members.is_world = 0;
    }
    for (int from = 0; from < members.size && world_group != MPI_GROUP_NULL; from += PIECE) {
        int count = members.size - from < PIECE ? members.size - from : PIECE;
        for (int i = 0; i < count; i++)
            ranks[i] = from + i;
        if (real.Group_translate_ranks(group, count, ranks, world_group, world) != MPI_SUCCESS)
            break;
        if (!from)
            members.first = world[0];
        for (int i = 0; i < count; i++) {
            members.hash = mix(members.hash + 0x9E3779B97F4A7C15ull * (uint64_t)(world[i] + 2));
            members.is_world &= world[i] == from + i;
            note_node(&members, seen, world[i]);
        }
    }
    if (seen != few)
        free(seen);
    return members;
}

static unsigned class_of(const struct members *members)
{
    if (members->size <= 1)
        return CLASS_SELF;
    if (members->unknown)
        return CLASS_UNKNOWN;
    return members->nodes == 1 ? CLASS_HOST : members->nodes == members->size ? CLASS_LEADERS : CLASS_SPREAD;
}

static unsigned new_row(const struct members *members, unsigned class, uint64_t id)
{
    static unsigned next = 2;
    for (unsigned row = 2; row < next; row++)
        if (record->communicators[row].id == id) {
            record->communicators[row].freed = 0;
            return row;
        }
    if (!id || next >= COMMUNICATOR_ROWS) {
        record->rank.folded_communicators++;
        return 1;
    }
    struct communicator_row *row = &record->communicators[next];
    row->id = id;
    row->size = (uint32_t)members->size;
    row->nodes = (uint32_t)members->nodes;
    row->order = order++;
    row->class = (uint8_t)class;
    row->world = (uint8_t)(members->is_world && class != CLASS_INTER);
    row->used = members->first == world_rank ? 2 : 1;
    return next++;
}

/* Without snprintf, which takes a quarter of all that is done for a new communicator. */
static void take_name(MPI_Comm handle, unsigned row)
{
    char name[MPI_MAX_OBJECT_NAME] = "", *kept = record->communicators[row].name;
    int length = 0;
    if (row <= 1 || !real.Comm_get_name || real.Comm_get_name(handle, name, &length) != MPI_SUCCESS)
        return;
    const size_t room = sizeof record->communicators[row].name - 1, size = strnlen(name, room < sizeof name ? room : sizeof name);
    memcpy(kept, name, size);
    kept[size] = 0;
}

static struct communicator *new_communicator(void)
{
    struct communicator *made = allocate();
    if (!made)
        return NULL;
    made->peers = &made->nobody;
    made->nobody.who = NOBODY;
    made->collectives = made->messages = &record->reservoirs[RESERVOIR_NONE];
    return made;
}

/* An intercommunicator has two groups, and who waits for whom differs: it is counted, not sampled. */
static void take_identity(struct communicator *made, const struct members *members, uint64_t hash)
{
    struct identity identity = identity_of(hash);
    made->row = new_row(members, made->class, identity.id);
    made->key = event_key(0, made->class, 0, made->row);
    made->salt = made->state = identity.salt;
    int sampled = identity.salt && !made->inter && made->size > 1 && made->class != CLASS_UNKNOWN;
    int large = (int64_t)made->size * 8 >= world_size;
    made->collectives = &record->reservoirs[!sampled ? RESERVOIR_NONE : large ? RESERVOIR_WORLD : RESERVOIR_OTHER];
    made->messages = &record->reservoirs[sampled ? RESERVOIR_MESSAGES : RESERVOIR_NONE];
}

/* `lock` is held. */
static struct communicator *describe(MPI_Comm handle)
{
    struct communicator *made = new_communicator();
    MPI_Group local;
    if (!made || real.Comm_group(handle, &local) != MPI_SUCCESS) {
        discard(made);
        return NULL;
    }
    made->handle = handle;
    made->group = local;
    made->degree = -1;
    real.Group_rank(local, &made->rank);
    real.Comm_test_inter(handle, &made->inter);
    struct members members = look_at(local);
    made->size = made->partners = members.size;
    made->class = class_of(&members);
    if (made->inter) {
        real.Comm_remote_group(handle, &made->group);
        real.Group_free(&local);
        struct members remote = look_at(made->group);
        made->partners = remote.size;
        made->class = CLASS_INTER;
        members.hash += remote.hash;   /* the same on both sides */
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
        return &unknown;
    if (!map_insert(&communicator_map, (uintptr_t)handle, made)) {
        communicator_release(made);
        return &unknown;
    }
    take_name(handle, made->row);
    return made;
}

struct communicator *communicator_meet(MPI_Comm handle)
{
    if (!record || handle == MPI_COMM_NULL)
        return &unknown;
    pthread_mutex_lock(&lock);
    struct communicator *made = meet_locked(handle, 0);
    pthread_mutex_unlock(&lock);
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
    pthread_mutex_lock(&lock);
    struct communicator *made = meet_locked(handle, 1);
    if (made != &unknown) {
        made->last_exit = exit;
        made->last_operation = operation;
    }
    pthread_mutex_unlock(&lock);
}

void communicator_duplicated(MPI_Comm parent, MPI_Comm handle)
{
    struct communicator *from = communicator_of(parent), *made = new_communicator();
    if (!made || from == &unknown || !record) {
        discard(made);
        return;
    }
    pthread_mutex_lock(&lock);
    *made = *from;
    made->peers = &made->nobody;
    made->peer_mask = 0;
    made->neighbours = NULL;
    made->windows = made->persistents = 0;
    made->held = 0;
    made->nobody = (struct known_peer){ .who = NOBODY };
    made->handle = handle;
    if (real.Group_union(from->group, from->group, &made->group) != MPI_SUCCESS)
        made->group = from->group;
    struct members members = look_at(made->group);
    uint64_t hash = members.hash;
    if (made->inter) {
        members.size += made->size;
        hash = record->communicators[from->row].id;
    }
    take_identity(made, &members, hash);
    if (!map_insert(&communicator_map, (uintptr_t)handle, made))
        communicator_release(made);
    pthread_mutex_unlock(&lock);
}

void communicator_release(struct communicator *communicator)
{
    if (communicator == &unknown)
        return;
    if (communicator->group != MPI_GROUP_NULL)
        real.Group_free(&communicator->group);
    discard(communicator);
}

void communicator_freed(MPI_Comm handle)
{
    struct communicator *gone = map_remove(&communicator_map, (uintptr_t)handle);
    if (!gone)
        return;
    pthread_mutex_lock(&lock);   /* another thread may have a communicator in the same row */
    if (gone->row > 1)
        record->communicators[gone->row].freed = 1;
    gone->gone = 1;
    const int held = gone->held != 0;
    pthread_mutex_unlock(&lock);
    if (!held)
        communicator_release(gone);
}

void communicator_hold(struct communicator *communicator)
{
    pthread_mutex_lock(&lock);
    communicator->held++;
    pthread_mutex_unlock(&lock);
}

void communicator_let_go(struct communicator *communicator)
{
    pthread_mutex_lock(&lock);
    const int last = --communicator->held == 0 && communicator->gone;
    pthread_mutex_unlock(&lock);
    if (last)
        communicator_release(communicator);
}

void communicator_named(MPI_Comm handle, const char *name)
{
    struct communicator *known = communicator_of(handle);
    pthread_mutex_lock(&lock);
    if (known->row > 1)
        snprintf(record->communicators[known->row].name, sizeof record->communicators[0].name, "%s", name);
    pthread_mutex_unlock(&lock);
}

struct communicator *communicator_of_group(MPI_Group group)
{
    struct communicator *made = new_communicator();
    if (!made)
        return &unknown;
    struct members members = look_at(group);
    made->group = group;
    made->size = made->partners = members.size;
    made->class = class_of(&members);
    made->world = members.is_world;
    made->key = event_key(0, made->class, 0, 0);   /* its calls are counted and sampled without a communicator */
    real.Group_rank(group, &made->rank);
    return made;
}

/* Members number the windows of a communicator alike; each numbers its fences from a place of its own. */
void communicator_of_window(struct communicator *made, MPI_Comm comm)
{
    struct communicator *parent = communicator_of(comm);
    if (made == &unknown || !parent->salt || parent->inter)
        return;
    made->salt = made->state = mix(parent->salt + ++parent->windows);
    made->collectives = parent->collectives;
}

int communicator_ranks(const struct communicator *communicator, MPI_Group group, int *ranks, int room, int *count)
{
    int asked[MOST_NEIGHBOURS];
    if (real.Group_size(group, count) != MPI_SUCCESS || *count > room || *count > MOST_NEIGHBOURS)
        return 0;
    for (int i = 0; i < *count; i++)
        asked[i] = i;
    return !*count || real.Group_translate_ranks(group, *count, asked, communicator->group, ranks) == MPI_SUCCESS;
}

uint64_t communicator_new_state(struct communicator *communicator)
{
    return communicator->salt ? mix(~communicator->salt + ++communicator->persistents) : 0;
}

static unsigned path_class(int world)
{
    if (world == world_rank)
        return CLASS_SELF;
    if (world < 0 || world >= world_size)
        return CLASS_OTHER;   /* a process of another world: connected or spawned */
    if (!node_of)
        return CLASS_UNKNOWN;
    return node_of[world] == node_of[world_rank] ? CLASS_HOST : CLASS_OTHER;
}

/* Room for as many peers as there are, up to a limit. Without memory the one at hand does. */
static void make_room(struct communicator *communicator)
{
    uint64_t room = 4;
    while (room < PEER_CACHE && room < (uint64_t)communicator->partners)
        room *= 2;
    void *made = NULL;
    if (communicator->peers != &communicator->nobody || communicator == &unknown || posix_memalign(&made, 64, room * sizeof(struct known_peer)))
        return;
    for (uint64_t i = 0; i < room; i++)
        ((struct known_peer *)made)[i] = (struct known_peer){ .who = NOBODY };
    __atomic_add_fetch(&living_peers, room, __ATOMIC_RELAXED);
    communicator->peers = made;
    __atomic_store_n(&communicator->peer_mask, room - 1, __ATOMIC_RELEASE);
}

static int world_rank_of(struct communicator *communicator, int peer)
{
    int world = peer;
    if (!communicator->world
        && (communicator == &unknown || world_group == MPI_GROUP_NULL || peer >= communicator->partners || world_group == MPI_GROUP_NULL
            || real.Group_translate_ranks(communicator->group, 1, &peer, world_group, &world) != MPI_SUCCESS || world < 0))
        world = -1;
    return world;
}

struct known_peer *communicator_peer_slow(struct communicator *communicator, int peer)
{
    int world = world_rank_of(communicator, peer);
    pthread_mutex_lock(&lock);
    make_room(communicator);
    struct known_peer *known = &communicator->peers[(uint64_t)(uint32_t)peer & communicator->peer_mask];
    struct known_peer fresh = { .who = NOBODY, .key = event_key(0, path_class(world), 0, 0), .place = peer_place(world), .world = peer_name(world),
        .uncounted = known->uncounted || known->who != NOBODY || communicator == &unknown };
    __atomic_store_n(&known->who, NOBODY, __ATOMIC_RELEASE);
    *known = fresh;
    __atomic_store_n(&known->who, (uint64_t)(uint32_t)peer, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return known;
}

static int graph_degree(MPI_Comm handle, int topology)
{
    int in = 0, out = 0, weighted, count = 0;
    if (topology == MPI_DIST_GRAPH && real.Dist_graph_neighbors_count(handle, &in, &out, &weighted) == MPI_SUCCESS)
        return out;
    if (topology == MPI_CART && real.Cartdim_get(handle, &count) == MPI_SUCCESS)
        return 2 * count;
    int rank;
    if (topology == MPI_GRAPH && real.Comm_rank(handle, &rank) == MPI_SUCCESS
        && real.Graph_neighbors_count(handle, rank, &count) == MPI_SUCCESS)
        return count;
    return 0;
}

int communicator_degree(struct communicator *communicator)
{
    int topology = MPI_UNDEFINED;
    if (communicator->degree >= 0)
        return communicator->degree;
    if (real.Topo_test(communicator->handle, &topology) != MPI_SUCCESS)
        return 0;
    return communicator->degree = graph_degree(communicator->handle, topology);
}

void communicators_start(int rank, int size, MPI_Group world, uint32_t *nodes)
{
    world_rank = rank;
    world_size = size;
    world_group = world;
    node_of = nodes;
    record->communicators[1].used = 0;
}
