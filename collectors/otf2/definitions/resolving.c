/* Resolves references between definitions: where ranks ran, who is in a communicator, which
 * attributes and files are known. */
#define _GNU_SOURCE
#include "reading.h"
#include <stdlib.h>
#include <string.h>

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return (a->location > b->location) - (a->location < b->location);
}

static struct place *place_of(struct definitions *definitions, uint64_t location)
{
    struct place wanted = { .location = location };
    return definitions->place_count
               ? bsearch(&wanted, definitions->places, definitions->place_count, sizeof wanted,
                         compare_places)
               : NULL;
}

/* The name of the host that a process ran on: the nearest level that calls itself a node, else the
 * one right above. */
static const char *host_name(const struct reading *reading, uint32_t at)
{
    const struct definitions *definitions = reading->to;
    const char *nearest =
        at < reading->node_count ? string_of(definitions, reading->nodes[at].name) : "";
    for (int level = 0; at < reading->node_count && level < 16;
         level++, at = reading->nodes[at].parent)
        if (!strcmp(string_of(definitions, reading->nodes[at].class), "node"))
            return string_of(definitions, reading->nodes[at].name);
    return nearest;
}

static int32_t host_index(struct definitions *definitions, const char *name)
{
    name = *name ? name : "unknown";
    for (size_t i = definitions->host_count;
         i-- > 0;) /* ranks of a host mostly follow each other */
        if (!strcmp(definitions->hosts[i], name))
            return (int32_t)i;
    definitions->hosts =
        xrealloc(definitions->hosts, definitions->host_count + 1, sizeof *definitions->hosts);
    definitions->hosts[definitions->host_count] = strdup(name);
    return (int32_t)definitions->host_count++;
}

/* Rank i of the world is the i-th of the group of locations that communicate by MPI; other threads
 * belong to the rank of their process. */
static void find_ranks(struct reading *reading)
{
    struct definitions *to = reading->to;
    const struct group *world = NULL;
    for (size_t i = 0; i < reading->group_count; i++)
        if (reading->groups[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS &&
            (!world || (reading->groups[i].is_mpi && !world->is_mpi)))
            world = &reading->groups[i];
    if (!world || !world->is_mpi || !world->count)
        die("it holds no ranks of MPI");
    to->ranks = world->count;
    to->host_of = xrealloc(NULL, to->ranks, sizeof *to->host_of);
    for (uint32_t rank = 0; rank < to->ranks; rank++) {
        struct place *place = place_of(to, world->members[rank]);
        if (!place || place->group >= reading->process_count ||
            !reading->processes[place->group].defined)
            die("it does not say where rank %u ran", rank);
        if (reading->processes[place->group].rank != NONE)
            die("it holds rank %u twice", rank);
        reading->processes[place->group].rank = (int32_t)rank;
        place->is_main = 1;
        to->host_of[rank] =
            host_index(to, host_name(reading, reading->processes[place->group].parent));
    }
    for (size_t i = 0; i < to->place_count; i++)
        if (to->places[i].group < reading->process_count &&
            reading->processes[to->places[i].group].defined)
            to->places[i].rank = reading->processes[to->places[i].group].rank;
}

/* World ranks of a group's members. */
static uint32_t *ranks_of(const struct reading *reading, uint32_t reference, uint32_t *count)
{
    const struct group *group =
        reference < reading->group_count ? &reading->groups[reference] : NULL;
    *count = group && group->type == OTF2_GROUP_TYPE_COMM_GROUP ? group->count : 0;
    uint32_t *ranks = xrealloc(NULL, *count + 1u, sizeof *ranks);
    for (uint32_t i = 0; i < *count; i++) {
        const struct place *place =
            group->of_locations ? place_of(reading->to, group->members[i]) : NULL;
        uint64_t rank =
            group->of_locations ? place ? (uint64_t)place->rank : UINT64_MAX : group->members[i];
        if (rank >= reading->to->ranks && group->is_mpi)
            die("a communicator in it has a member that is not there");
        ranks[i] = (uint32_t)rank;
    }
    return ranks;
}

static unsigned class_of(const struct communicator *communicator)
{
    return communicator->far                                  ? CLASS_INTER
           : communicator->is_self || communicator->size == 1 ? CLASS_SELF
           : communicator->nodes == 1                         ? CLASS_INTRA_NODE
           : communicator->nodes == communicator->size        ? CLASS_ONE_PER_NODE
                                                              : CLASS_MULTI_NODE;
}

static uint32_t hosts_among(const struct definitions *definitions, const uint32_t *ranks,
                            uint32_t count)
{
    uint8_t *seen = xrealloc(NULL, definitions->host_count, 1);
    uint32_t found = 0;
    memset(seen, 0, definitions->host_count);
    for (uint32_t i = 0; i < count; i++)
        if (!seen[definitions->host_of[ranks[i]]]) {
            seen[definitions->host_of[ranks[i]]] = 1;
            found++;
        }
    free(seen);
    return found;
}

static void resolve_communicator(struct reading *reading, size_t i)
{
    struct definitions *to = reading->to;
    struct communicator *communicator = &to->communicators[i];
    const uint32_t reference = reading->comm_groups[i];
    const struct group *group =
        reference < reading->group_count ? &reading->groups[reference] : NULL;
    if (!communicator->defined || !group || !group->is_mpi) {
        communicator->defined = 0;
        return;
    }
    communicator->is_self = group->type == OTF2_GROUP_TYPE_COMM_SELF;
    communicator->ranks = ranks_of(reading, reference, &communicator->size);
    if (reading->comm_groups_far[i] != OTF2_UNDEFINED_GROUP)
        communicator->far = ranks_of(reading, reading->comm_groups_far[i], &communicator->size_far);
    communicator->nodes =
        communicator->is_self ? 1 : hosts_among(to, communicator->ranks, communicator->size);
    communicator->size = communicator->is_self ? 1 : communicator->size;
    communicator->first = communicator->size && !communicator->is_self ? communicator->ranks[0] : 0;
    communicator->is_world = !communicator->far && communicator->size == to->ranks &&
                             !(communicator->is_self && to->ranks > 1);
    communicator->class = (uint8_t)class_of(communicator);
}

/* Groups that calls name by themselves: those of one-sided synchronisation, and neighbours. */
static void resolve_groups(struct reading *reading)
{
    struct definitions *to = reading->to;
    to->groups = xrealloc(NULL, reading->group_count, sizeof *to->groups);
    to->group_count = reading->group_count;
    for (size_t i = 0; i < reading->group_count; i++) {
        to->groups[i] = (struct members){ 0 };
        if (reading->groups[i].type != OTF2_GROUP_TYPE_COMM_GROUP || !reading->groups[i].is_mpi)
            continue;
        to->groups[i].ranks = ranks_of(reading, (uint32_t)i, &to->groups[i].count);
        to->groups[i].defined = 1;
    }
}

static void find_attributes(struct reading *reading)
{
    static const char *const names[ATTRIBUTES] = { "call: communicator",   "call: received from",
                                                   "call: bytes",          "call: series",
                                                   "SOURCE_CODE_LOCATION", "call: function",
                                                   "call: level" };
    struct definitions *to = reading->to;
    for (uint32_t i = 0; i < reading->attribute_count; i++)
        for (unsigned k = 0; k < ATTRIBUTES && reading->attributes[i]; k++)
            if (!strcmp(string_of(to, reading->attributes[i] - 1), names[k]))
                to->attributes[k] = i + 1;
    if (!to->site_count)
        to->attributes[ATTRIBUTE_SITE] = 0;
}

/* Of other paradigms are what the library does for MPI's own calls, and what the program does
 * without MPI. */
static void resolve_files(struct reading *reading)
{
    struct definitions *to = reading->to;
    to->files = xrealloc(NULL, reading->handle_count, sizeof *to->files);
    to->file_count = reading->handle_count;
    for (size_t i = 0; i < reading->handle_count; i++) {
        const struct handle *handle = &reading->handles[i];
        const uint32_t paradigm = handle->defined ? reading->io_paradigms[handle->paradigm] : 0,
                       communicator = handle->communicator;
        const int is_known =
            communicator < to->communicator_count && to->communicators[communicator].defined;
        to->files[i] = paradigm && is_known && !strcmp(string_of(to, paradigm - 1), "MPI-IO")
                           ? communicator + 1
                           : 0;
    }
}

void definitions_read(struct definitions *definitions, OTF2_Reader *reader)
{
    struct reading reading = { .to = definitions };
    definitions_list(&reading, reader);
    if (!definitions->resolution)
        die("it does not say how fast its clock runs");
    if (definitions->place_count)
        qsort(definitions->places, definitions->place_count, sizeof *definitions->places,
              compare_places);
    find_ranks(&reading);
    for (size_t i = 0; i < definitions->communicator_count; i++)
        resolve_communicator(&reading, i);
    resolve_groups(&reading);
    resolve_files(&reading);
    find_attributes(&reading);
    metrics_resolve(&reading);
    for (size_t i = 0; i < definitions->region_count; i++) {
        struct region *region = &definitions->regions[i], was = *region;
        *region = region_named(definitions, string_of(definitions, was.name), was.kind);
        region->name = was.name;
        region->file = was.file;
        region->line = was.line;
        region->is_user = was.is_user;
        region->is_plain = region->kind == KIND_OTHER && !was.is_user;
        region->is_simple_call = region->kind >= KIND_CALL && !region->begins && !region->ends &&
                                 !region->is_neighbour && !region->marks && !was.is_user;
    }
}
