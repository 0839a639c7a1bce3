#include "members.h"
#include <stdlib.h>

struct world own_world;

/* How often a list of members was met: the members make communicators with the same list in the
 * same order, so the hash of (list, count) is the same on all of them, without communication. */
enum {
    LISTS = NO_LIST,
    OWN_ROWS = 8
}; /* the ninth communicator of one list, and all later ones, share a row: programs split in loops
    */
static struct {
    uint64_t hash;
    uint32_t count, shared;
} lists[LISTS]; /* shared: that row, 0: not known */

static uint32_t order; /* communicators seen */

struct identity members_again(uint32_t list)
{
    if (list == NO_LIST)
        return (struct identity){ 0, 0, NO_LIST };
    const uint64_t hash = lists[list].hash;
    const uint32_t count = ++lists[list].count;
    uint64_t id =
        members_mix(hash + 0x9E3779B97F4A7C15ull * (count <= OWN_ROWS ? count : OWN_ROWS + 1));
    return (struct identity){ id ? id : 1, members_mix(~hash + 0x9E3779B97F4A7C15ull * count),
                              list };
}

struct identity members_identity(uint64_t hash)
{
    unsigned slot = hash % LISTS, steps = 0;
    while (lists[slot].count && lists[slot].hash != hash && ++steps < LISTS)
        slot = (slot + 1) % LISTS;
    if (steps == LISTS)
        return members_again(NO_LIST);
    lists[slot].hash = hash;
    return members_again(slot);
}

static void note_node(struct members *members, uint8_t *seen, int world)
{
    if (world < 0 || world >= own_world.size || !own_world.node_of) {
        members->unknown++;
        return;
    }
    uint32_t node = own_world.node_of[world];
    if (!(seen[node >> 3] & 1u << (node & 7))) {
        seen[node >> 3] |= (uint8_t)(1u << (node & 7));
        members->nodes++;
    }
}

/* One look at all members, in pieces: a group may be as large as the world. */
struct members members_of(MPI_Group group)
{
    enum { PIECE = 1024 };
    int ranks[PIECE], world[PIECE];
    struct members members = { .hash = 0x243F6A8885A308D3ull };
    uint8_t few[64] = { 0 }, *seen = (size_t)own_world.size / 8 < sizeof few
                                         ? few
                                         : calloc((size_t)own_world.size / 8 + 1, 1);
    if (!seen || own_world.group == MPI_GROUP_NULL ||
        real.Group_size(group, &members.size) != MPI_SUCCESS)
        members.size = 0;
    members.is_world = members.size == own_world.size;
    if (own_world.group == MPI_GROUP_NULL) { /* nobody can tell: asking would end the job */
        members.unknown = members.size;
        members.is_world = 0;
    }
    for (int from = 0; from < members.size && own_world.group != MPI_GROUP_NULL; from += PIECE) {
        int count = members.size - from < PIECE ? members.size - from : PIECE;
        for (int i = 0; i < count; i++)
            ranks[i] = from + i;
        if (real.Group_translate_ranks(group, count, ranks, own_world.group, world) != MPI_SUCCESS)
            break;
        if (!from)
            members.first = world[0];
        for (int i = 0; i < count; i++) {
            members.hash =
                members_mix(members.hash + 0x9E3779B97F4A7C15ull * (uint64_t)(world[i] + 2));
            members.is_world &= world[i] == from + i;
            note_node(&members, seen, world[i]);
        }
    }
    if (seen != few)
        free(seen);
    return members;
}

unsigned members_class(const struct members *members)
{
    if (members->size <= 1)
        return CLASS_SELF;
    if (members->unknown)
        return CLASS_UNKNOWN;
    return members->nodes == 1               ? CLASS_INTRA_NODE
           : members->nodes == members->size ? CLASS_ONE_PER_NODE
                                             : CLASS_MULTI_NODE;
}

static unsigned next_row = 2;

static unsigned row_of(uint64_t id)
{
    unsigned row = 2;
    while (row < next_row && record->communicators[row].id != id)
        row++;
    if (row < next_row)
        record->communicators[row].freed = 0;
    return row < next_row ? row : 0;
}

/* NULL: they are all taken, or there is no id. */
static struct communicator_row *empty_row(uint64_t id)
{
    if (!id || next_row >= COMMUNICATOR_ROWS) {
        record->rank.overflowed_communicators++;
        return NULL;
    }
    return &record->communicators[next_row++];
}

static unsigned number_of(const struct communicator_row *row)
{
    return (unsigned)(row - record->communicators);
}

unsigned members_row_like(struct identity identity, unsigned like)
{
    uint32_t *shared = lists[identity.list].count > OWN_ROWS ? &lists[identity.list].shared : NULL;
    if (shared && *shared) {
        record->communicators[*shared].freed = 0;
        return *shared;
    }
    unsigned known = row_of(identity.id);
    struct communicator_row *row = known ? &record->communicators[known] : empty_row(identity.id);
    if (!row)
        return 1;
    if (!known) {
        *row = record->communicators[like];
        row->id = identity.id;
        row->order = order++;
        row->freed = *row->name = 0;
    }
    if (shared)
        *shared = number_of(row);
    return number_of(row);
}

unsigned members_row(const struct members *members, unsigned class, uint64_t id)
{
    unsigned known = row_of(id);
    struct communicator_row *row = known ? NULL : empty_row(id);
    if (!row)
        return known ? known : 1;
    row->id = id;
    row->size = (uint32_t)members->size;
    row->nodes = (uint32_t)members->nodes;
    row->order = order++;
    row->class = (uint8_t)class;
    row->world = (uint8_t)(members->is_world && class != CLASS_INTER);
    row->used = members->first == own_world.rank ? 2 : 1;
    return number_of(row);
}
