/* Reads what an archive defines: regions, locations, communicators, hosts, the clock. */
#define _GNU_SOURCE
#include "trace.h"
#include <stdlib.h>
#include <string.h>

/* References are numbers from 0; larger ones than this are damage, and would take memory that nobody has. */
enum { MOST = 1 << 24 };

struct group { uint64_t *members; uint32_t count; uint8_t type, is_mpi, of_locations; };
struct tree_node { uint32_t name, class, parent; };
struct process { uint32_t parent; int32_t rank; uint8_t defined; };
struct handle { uint32_t communicator; uint8_t paradigm, defined; };
struct reading {
    uint32_t io_paradigms[UINT8_MAX + 1];      /* what they are called, + 1 */
    struct handle *handles;
    size_t handle_count;
    struct definitions *to;
    struct group *groups;
    uint32_t *attributes;          /* their names */
    size_t attribute_count;
    struct tree_node *nodes;
    struct process *processes;
    uint32_t *comm_groups, *comm_groups_far, *region_paradigm;
    size_t group_count, node_count, process_count;
};

/* Room for the entry `reference` of a list; new entries are zero. */
static void *entry(void *list, size_t *count, uint64_t reference, size_t size)
{
    char **rows = list;
    if (reference >= MOST)
        refuse("it holds a definition number that cannot be (%llu)", (unsigned long long)reference);
    if (reference >= *count) {
        size_t more = reference + 1 > 2 * *count ? reference + 1 : 2 * *count;
        *rows = room_for(*rows, more, size);
        memset(*rows + *count * size, 0, (more - *count) * size);
        *count = more;
    }
    return *rows + reference * size;
}

const char *string_of(const struct definitions *definitions, uint32_t reference)
{
    return reference < definitions->string_count && definitions->strings[reference] ? definitions->strings[reference] : "";
}

static OTF2_CallbackCode clock_is(void *to, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t real_time)
{
    struct definitions *definitions = ((struct reading *)to)->to;
    definitions->resolution = resolution;
    definitions->offset = offset;
    definitions->length = length;
    definitions->real_time = real_time;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode string_is(void *to, OTF2_StringRef self, const char *value)
{
    struct definitions *definitions = ((struct reading *)to)->to;
    char **place = entry(&definitions->strings, &definitions->string_count, self, sizeof *place);
    free(*place);
    *place = strdup(value);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode node_is(void *to, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
    struct reading *reading = to;
    struct tree_node *node = entry(&reading->nodes, &reading->node_count, self, sizeof *node);
    *node = (struct tree_node){ name, class, parent };
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode process_is(void *to, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type,
                                    OTF2_SystemTreeNodeRef parent, OTF2_LocationGroupRef creator)
{
    struct reading *reading = to;
    struct process *process = entry(&reading->processes, &reading->process_count, self, sizeof *process);
    *process = (struct process){ parent, NONE, 1 };
    (void)name, (void)type, (void)creator;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode location_is(void *to, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    struct definitions *definitions = ((struct reading *)to)->to;
    (void)name;
    if (type != OTF2_LOCATION_TYPE_CPU_THREAD && type != OTF2_LOCATION_TYPE_UNKNOWN)
        return OTF2_CALLBACK_SUCCESS;
    if (!(definitions->place_count & (definitions->place_count - 1)))
        definitions->places = room_for(definitions->places, 2 * definitions->place_count + 1, sizeof *definitions->places);
    definitions->places[definitions->place_count++] = (struct place){ self, events, group, NONE, 0 };
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode region_is(void *to, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical, OTF2_StringRef text,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin, uint32_t end)
{
    struct definitions *definitions = ((struct reading *)to)->to;
    struct region *region = entry(&definitions->regions, &definitions->region_count, self, sizeof *region);
    /* Its strings may be defined later: what it is, is found out at the end. Some writers name no paradigm. */
    *region = (struct region){ .name = name, .file = file, .line = begin, .kind = paradigm == OTF2_PARADIGM_MPI || paradigm == OTF2_PARADIGM_UNKNOWN,
        .is_user = paradigm == OTF2_PARADIGM_USER && role != OTF2_REGION_ROLE_ARTIFICIAL };
    (void)canonical, (void)text, (void)flags, (void)end;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode group_is(void *to, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type, OTF2_Paradigm paradigm,
                                  OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
    struct reading *reading = to;
    struct group *group = entry(&reading->groups, &reading->group_count, self, sizeof *group);
    (void)name;
    if (type != OTF2_GROUP_TYPE_COMM_LOCATIONS && type != OTF2_GROUP_TYPE_COMM_GROUP && type != OTF2_GROUP_TYPE_COMM_SELF)
        return OTF2_CALLBACK_SUCCESS;
    free(group->members);
    *group = (struct group){ room_for(NULL, count + 1u, sizeof *members), count, type, paradigm == OTF2_PARADIGM_MPI, flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS };
    memcpy(group->members, members, count * sizeof *members);
    return OTF2_CALLBACK_SUCCESS;
}

static void add_communicator(struct reading *reading, uint32_t self, uint32_t name, uint32_t group, uint32_t far)
{
    struct definitions *to = reading->to;
    size_t had = to->communicator_count, had_far = had;
    struct communicator *communicator = entry(&to->communicators, &to->communicator_count, self, sizeof *communicator);
    *(uint32_t *)entry(&reading->comm_groups, &had, self, sizeof group) = group;
    *(uint32_t *)entry(&reading->comm_groups_far, &had_far, self, sizeof group) = far;
    *communicator = (struct communicator){ .name = name, .defined = 1 };
}

static OTF2_CallbackCode communicator_is(void *to, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)parent, (void)flags;
    add_communicator(to, self, name, group, OTF2_UNDEFINED_GROUP);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode intercommunicator_is(void *to, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef near, OTF2_GroupRef far,
                                              OTF2_CommRef bridge, OTF2_CommFlag flags)
{
    (void)bridge, (void)flags;
    add_communicator(to, self, name, near, far);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode window_is(void *to, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef communicator, OTF2_RmaWinFlag flags)
{
    struct definitions *definitions = ((struct reading *)to)->to;
    uint32_t *window = entry(&definitions->windows, &definitions->window_count, self, sizeof *window);
    (void)name, (void)flags;
    *window = communicator + 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode attribute_is(void *to, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef text, OTF2_Type type)
{
    struct reading *reading = to;
    (void)text, (void)type;
    *(uint32_t *)entry(&reading->attributes, &reading->attribute_count, self, sizeof name) = name + 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode io_paradigm_is(void *to, OTF2_IoParadigmRef self, OTF2_StringRef identification, OTF2_StringRef name, OTF2_IoParadigmClass class,
                                        OTF2_IoParadigmFlag flags, uint8_t count, const OTF2_IoParadigmProperty *properties, const OTF2_Type *types,
                                        const OTF2_AttributeValue *values)
{
    (void)name, (void)class, (void)flags, (void)count, (void)properties, (void)types, (void)values;
    ((struct reading *)to)->io_paradigms[self] = identification + 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode handle_is(void *to, OTF2_IoHandleRef self, OTF2_StringRef name, OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags,
                                   OTF2_CommRef communicator, OTF2_IoHandleRef parent)
{
    struct reading *reading = to;
    struct handle *handle = entry(&reading->handles, &reading->handle_count, self, sizeof *handle);
    (void)name, (void)file, (void)flags, (void)parent;
    *handle = (struct handle){ communicator, paradigm, 1 };
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode site_is(void *to, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line)
{
    struct definitions *definitions = ((struct reading *)to)->to;
    struct site *site = entry(&definitions->sites, &definitions->site_count, self, sizeof *site);
    *site = (struct site){ file, line, 0 };
    return OTF2_CALLBACK_SUCCESS;
}

static void read_all(struct reading *reading, OTF2_Reader *reader)
{
    OTF2_GlobalDefReader *from = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *calls = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t count = 0;
    if (!from || !calls)
        refuse("its definitions cannot be opened");
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(calls, clock_is);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(calls, string_is);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(calls, node_is);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(calls, process_is);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, location_is);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(calls, region_is);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(calls, group_is);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(calls, attribute_is);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(calls, communicator_is);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(calls, intercommunicator_is);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(calls, window_is);
    OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(calls, io_paradigm_is);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(calls, handle_is);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(calls, site_is);
    if (OTF2_Reader_RegisterGlobalDefCallbacks(reader, from, calls, reading) != OTF2_SUCCESS
        || OTF2_Reader_ReadAllGlobalDefinitions(reader, from, &count) != OTF2_SUCCESS)
        refuse("its definitions are damaged or cut off");
    OTF2_GlobalDefReaderCallbacks_Delete(calls);
    OTF2_Reader_CloseGlobalDefReader(reader, from);
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return (a->location > b->location) - (a->location < b->location);
}

static struct place *place_of(struct definitions *definitions, uint64_t location)
{
    struct place wanted = { .location = location };
    return definitions->place_count ? bsearch(&wanted, definitions->places, definitions->place_count, sizeof wanted, compare_places) : NULL;
}

/* The name of the host that a process ran on: the nearest level that calls itself a node, else the one right above. */
static const char *host_name(const struct reading *reading, uint32_t at)
{
    const struct definitions *definitions = reading->to;
    const char *nearest = at < reading->node_count ? string_of(definitions, reading->nodes[at].name) : "";
    for (int level = 0; at < reading->node_count && level < 16; level++, at = reading->nodes[at].parent)
        if (!strcmp(string_of(definitions, reading->nodes[at].class), "node"))
            return string_of(definitions, reading->nodes[at].name);
    return nearest;
}

static int32_t host_index(struct definitions *definitions, const char *name)
{
    name = *name ? name : "unknown";
    for (size_t i = definitions->host_count; i-- > 0;)     /* ranks of a host mostly follow each other */
        if (!strcmp(definitions->hosts[i], name))
            return (int32_t)i;
    definitions->hosts = room_for(definitions->hosts, definitions->host_count + 1, sizeof *definitions->hosts);
    definitions->hosts[definitions->host_count] = strdup(name);
    return (int32_t)definitions->host_count++;
}

/* Rank i of the world is the i-th of the group of locations that communicate by MPI; other threads belong to the rank of their process. */
static void find_ranks(struct reading *reading)
{
    struct definitions *to = reading->to;
    const struct group *world = NULL;
    for (size_t i = 0; i < reading->group_count; i++)
        if (reading->groups[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && (!world || (reading->groups[i].is_mpi && !world->is_mpi)))
            world = &reading->groups[i];
    if (!world || !world->is_mpi || !world->count)
        refuse("it holds no ranks of MPI");
    to->ranks = world->count;
    to->host_of = room_for(NULL, to->ranks, sizeof *to->host_of);
    for (uint32_t rank = 0; rank < to->ranks; rank++) {
        struct place *place = place_of(to, world->members[rank]);
        if (!place || place->group >= reading->process_count || !reading->processes[place->group].defined)
            refuse("it does not say where rank %u ran", rank);
        if (reading->processes[place->group].rank != NONE)
            refuse("it holds rank %u twice", rank);
        reading->processes[place->group].rank = (int32_t)rank;
        place->is_main = 1;
        to->host_of[rank] = host_index(to, host_name(reading, reading->processes[place->group].parent));
    }
    for (size_t i = 0; i < to->place_count; i++)
        if (to->places[i].group < reading->process_count && reading->processes[to->places[i].group].defined)
            to->places[i].rank = reading->processes[to->places[i].group].rank;
}

/* World ranks of a group's members. */
static uint32_t *ranks_of(const struct reading *reading, uint32_t reference, uint32_t *count)
{
    const struct group *group = reference < reading->group_count ? &reading->groups[reference] : NULL;
    *count = group && group->type == OTF2_GROUP_TYPE_COMM_GROUP ? group->count : 0;
    uint32_t *ranks = room_for(NULL, *count + 1u, sizeof *ranks);
    for (uint32_t i = 0; i < *count; i++) {
        const struct place *place = group->of_locations ? place_of(reading->to, group->members[i]) : NULL;
        uint64_t rank = group->of_locations ? place ? (uint64_t)place->rank : UINT64_MAX : group->members[i];
        if (rank >= reading->to->ranks && group->is_mpi)
            refuse("a communicator in it has a member that is not there");
        ranks[i] = (uint32_t)rank;
    }
    return ranks;
}

static unsigned class_of(const struct communicator *communicator)
{
    return communicator->far ? CLASS_INTER : communicator->is_self || communicator->size == 1 ? CLASS_SELF
        : communicator->nodes == 1 ? CLASS_HOST : communicator->nodes == communicator->size ? CLASS_LEADERS : CLASS_SPREAD;
}

static uint32_t hosts_among(const struct definitions *definitions, const uint32_t *ranks, uint32_t count)
{
    uint8_t *seen = room_for(NULL, definitions->host_count, 1);
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
    const struct group *group = reference < reading->group_count ? &reading->groups[reference] : NULL;
    if (!communicator->defined || !group || !group->is_mpi) {
        communicator->defined = 0;
        return;
    }
    communicator->is_self = group->type == OTF2_GROUP_TYPE_COMM_SELF;
    communicator->ranks = ranks_of(reading, reference, &communicator->size);
    if (reading->comm_groups_far[i] != OTF2_UNDEFINED_GROUP)
        communicator->far = ranks_of(reading, reading->comm_groups_far[i], &communicator->size_far);
    communicator->nodes = communicator->is_self ? 1 : hosts_among(to, communicator->ranks, communicator->size);
    communicator->size = communicator->is_self ? 1 : communicator->size;
    communicator->first = communicator->size && !communicator->is_self ? communicator->ranks[0] : 0;
    communicator->is_world = !communicator->far && communicator->size == to->ranks && !(communicator->is_self && to->ranks > 1);
    communicator->class = (uint8_t)class_of(communicator);
}

/* Groups that calls name by themselves: those of one-sided synchronisation, and neighbours. */
static void resolve_groups(struct reading *reading)
{
    struct definitions *to = reading->to;
    to->groups = room_for(NULL, reading->group_count, sizeof *to->groups);
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
    static const char *const names[ATTRIBUTES] = { "call: communicator", "call: received from", "call: bytes", "call: series", "SOURCE_CODE_LOCATION", "call: function", "call: level" };
    struct definitions *to = reading->to;
    for (uint32_t i = 0; i < reading->attribute_count; i++)
        for (unsigned k = 0; k < ATTRIBUTES && reading->attributes[i]; k++)
            if (!strcmp(string_of(to, reading->attributes[i] - 1), names[k]))
                to->attributes[k] = i + 1;
    if (!to->site_count)
        to->attributes[ATTRIBUTE_SITE] = 0;
}

/* Of other paradigms are what the library does for MPI's own calls, and what the program does without MPI. */
static void resolve_files(struct reading *reading)
{
    struct definitions *to = reading->to;
    to->files = room_for(NULL, reading->handle_count, sizeof *to->files);
    to->file_count = reading->handle_count;
    for (size_t i = 0; i < reading->handle_count; i++) {
        const struct handle *handle = &reading->handles[i];
        const uint32_t paradigm = handle->defined ? reading->io_paradigms[handle->paradigm] : 0, communicator = handle->communicator;
        const int is_known = communicator < to->communicator_count && to->communicators[communicator].defined;
        to->files[i] = paradigm && is_known && !strcmp(string_of(to, paradigm - 1), "MPI-IO") ? communicator + 1 : 0;
    }
}

void definitions_read(struct definitions *definitions, OTF2_Reader *reader)
{
    struct reading reading = { .to = definitions };
    read_all(&reading, reader);
    if (!definitions->resolution)
        refuse("it does not say how fast its clock runs");
    qsort(definitions->places, definitions->place_count, sizeof *definitions->places, compare_places);
    find_ranks(&reading);
    for (size_t i = 0; i < definitions->communicator_count; i++)
        resolve_communicator(&reading, i);
    resolve_groups(&reading);
    resolve_files(&reading);
    find_attributes(&reading);
    for (size_t i = 0; i < definitions->region_count; i++) {
        struct region *region = &definitions->regions[i], was = *region;
        *region = region_named(definitions, string_of(definitions, was.name), was.kind);
        region->name = was.name;
        region->file = was.file;
        region->line = was.line;
        region->is_user = was.is_user;
    }
}
