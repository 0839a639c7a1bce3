/* Reads the definitions of an archive: regions, locations, communicators, nodes, the clock.
 * resolving.c resolves the references between them. */
#define _GNU_SOURCE
#include "reading.h"
#include <stdlib.h>
#include <string.h>

/* References are numbers from 0; larger ones than this are damage, and would take memory that
 * nobody has. */
enum { MOST = 1 << 24 };

/* Room for the entry `reference` of a list; new entries are zero. */
static void *entry(void *list, size_t *count, uint64_t reference, size_t size)
{
    char **rows = list;
    if (reference >= MOST)
        die("it holds a definition number that cannot be (%llu)", (unsigned long long)reference);
    if (reference >= *count) {
        size_t more = reference + 1 > 2 * *count ? reference + 1 : 2 * *count;
        *rows = xrealloc(*rows, more, size);
        memset(*rows + *count * size, 0, (more - *count) * size);
        *count = more;
    }
    return *rows + reference * size;
}

static OTF2_CallbackCode clock_is(void *to, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t real_time)
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

static OTF2_CallbackCode node_is(void *to, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
    struct reading *reading = to;
    struct tree_node *node = entry(&reading->nodes, &reading->node_count, self, sizeof *node);
    *node = (struct tree_node){ name, class, parent };
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode process_is(void *to, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                    OTF2_LocationGroupRef creator)
{
    struct reading *reading = to;
    struct process *process =
        entry(&reading->processes, &reading->process_count, self, sizeof *process);
    *process = (struct process){ parent, NONE, 1 };
    (void)name, (void)type, (void)creator;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode location_is(void *to, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    struct definitions *definitions = ((struct reading *)to)->to;
    (void)name;
    if (type != OTF2_LOCATION_TYPE_CPU_THREAD && type != OTF2_LOCATION_TYPE_UNKNOWN)
        return OTF2_CALLBACK_SUCCESS;
    if (!(definitions->place_count & (definitions->place_count - 1)))
        definitions->places = xrealloc(definitions->places, 2 * definitions->place_count + 1,
                                       sizeof *definitions->places);
    definitions->places[definitions->place_count++] =
        (struct place){ self, events, group, NONE, 0 };
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode region_is(void *to, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef text,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
    struct definitions *definitions = ((struct reading *)to)->to;
    struct region *region =
        entry(&definitions->regions, &definitions->region_count, self, sizeof *region);
    /* Its strings may be defined later: what it is, is found out at the end. Some writers name no
     * paradigm. */
    *region =
        (struct region){ .name = name,
                         .file = file,
                         .line = begin,
                         .kind = paradigm == OTF2_PARADIGM_MPI || paradigm == OTF2_PARADIGM_UNKNOWN,
                         .is_user = paradigm == OTF2_PARADIGM_USER &&
                                    role != OTF2_REGION_ROLE_ARTIFICIAL };
    (void)canonical, (void)text, (void)flags, (void)end;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode group_is(void *to, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t count, const uint64_t *members)
{
    struct reading *reading = to;
    struct group *group = entry(&reading->groups, &reading->group_count, self, sizeof *group);
    (void)name;
    if (type != OTF2_GROUP_TYPE_COMM_LOCATIONS && type != OTF2_GROUP_TYPE_COMM_GROUP &&
        type != OTF2_GROUP_TYPE_COMM_SELF)
        return OTF2_CALLBACK_SUCCESS;
    free(group->members);
    *group =
        (struct group){ xrealloc(NULL, count + 1u, sizeof *members), count, type,
                        paradigm == OTF2_PARADIGM_MPI, flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS };
    memcpy(group->members, members, count * sizeof *members);
    return OTF2_CALLBACK_SUCCESS;
}

static void add_communicator(struct reading *reading, uint32_t self, uint32_t name, uint32_t group,
                             uint32_t far)
{
    struct definitions *to = reading->to;
    size_t had = to->communicator_count, had_far = had;
    struct communicator *communicator =
        entry(&to->communicators, &to->communicator_count, self, sizeof *communicator);
    *(uint32_t *)entry(&reading->comm_groups, &had, self, sizeof group) = group;
    *(uint32_t *)entry(&reading->comm_groups_far, &had_far, self, sizeof group) = far;
    *communicator = (struct communicator){ .name = name, .defined = 1 };
}

static OTF2_CallbackCode communicator_is(void *to, OTF2_CommRef self, OTF2_StringRef name,
                                         OTF2_GroupRef group, OTF2_CommRef parent,
                                         OTF2_CommFlag flags)
{
    (void)parent, (void)flags;
    add_communicator(to, self, name, group, OTF2_UNDEFINED_GROUP);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode intercommunicator_is(void *to, OTF2_CommRef self, OTF2_StringRef name,
                                              OTF2_GroupRef near, OTF2_GroupRef far,
                                              OTF2_CommRef bridge, OTF2_CommFlag flags)
{
    (void)bridge, (void)flags;
    add_communicator(to, self, name, near, far);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode window_is(void *to, OTF2_RmaWinRef self, OTF2_StringRef name,
                                   OTF2_CommRef communicator, OTF2_RmaWinFlag flags)
{
    struct definitions *definitions = ((struct reading *)to)->to;
    uint32_t *window =
        entry(&definitions->windows, &definitions->window_count, self, sizeof *window);
    (void)name, (void)flags;
    *window = communicator + 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode attribute_is(void *to, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef text, OTF2_Type type)
{
    struct reading *reading = to;
    (void)text, (void)type;
    *(uint32_t *)entry(&reading->attributes, &reading->attribute_count, self, sizeof name) =
        name + 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode io_paradigm_is(void *to, OTF2_IoParadigmRef self,
                                        OTF2_StringRef identification, OTF2_StringRef name,
                                        OTF2_IoParadigmClass class, OTF2_IoParadigmFlag flags,
                                        uint8_t count, const OTF2_IoParadigmProperty *properties,
                                        const OTF2_Type *types, const OTF2_AttributeValue *values)
{
    (void)name, (void)class, (void)flags, (void)count, (void)properties, (void)types, (void)values;
    ((struct reading *)to)->io_paradigms[self] = identification + 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode handle_is(void *to, OTF2_IoHandleRef self, OTF2_StringRef name,
                                   OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
                                   OTF2_IoHandleFlag flags, OTF2_CommRef communicator,
                                   OTF2_IoHandleRef parent)
{
    struct reading *reading = to;
    struct handle *handle = entry(&reading->handles, &reading->handle_count, self, sizeof *handle);
    (void)name, (void)file, (void)flags, (void)parent;
    *handle = (struct handle){ communicator, paradigm, 1 };
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode site_is(void *to, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
                                 uint32_t line)
{
    struct definitions *definitions = ((struct reading *)to)->to;
    struct site *site = entry(&definitions->sites, &definitions->site_count, self, sizeof *site);
    *site = (struct site){ file, line, 0 };
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode member_is(void *to, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                   OTF2_StringRef text, OTF2_MetricType kind, OTF2_MetricMode mode,
                                   OTF2_Type type, OTF2_Base base, int64_t exponent,
                                   OTF2_StringRef unit)
{
    struct reading *reading = to;
    struct metric_member *member =
        entry(&reading->members, &reading->member_count, self, sizeof *member);
    (void)text, (void)kind, (void)type, (void)unit;
    *member = (struct metric_member){
        .name = name, .exponent = exponent, .mode = mode, .base = base, .is_defined = 1
    };
    return OTF2_CALLBACK_SUCCESS;
}

static struct metric_class *metric_at(struct reading *reading, uint32_t self)
{
    struct metric_class *class =
        entry(&reading->classes, &reading->class_count, self, sizeof *class);
    free(class->members);
    *class = (struct metric_class){ .is_defined = 1 };
    return class;
}

static OTF2_CallbackCode class_is(void *to, OTF2_MetricRef self, uint8_t count,
                                  const OTF2_MetricMemberRef *members,
                                  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
    struct metric_class *class = metric_at(to, self);
    (void)occurrence;
    class->members = xrealloc(NULL, count, sizeof *members);
    memcpy(class->members, members, count * sizeof *members);
    class->count = count;
    class->is_abstract = kind == OTF2_RECORDER_KIND_ABSTRACT;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode instance_is(void *to, OTF2_MetricRef self, OTF2_MetricRef of,
                                     OTF2_LocationRef recorder, OTF2_MetricScope scope,
                                     uint64_t place)
{
    struct metric_class *class = metric_at(to, self);
    class->instance_of = of + 1;
    class->is_elsewhere = scope != OTF2_SCOPE_LOCATION || place != recorder;
    return OTF2_CALLBACK_SUCCESS;
}

void definitions_list(struct reading *reading, OTF2_Reader *reader)
{
    OTF2_GlobalDefReader *from = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *calls = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t count = 0;
    if (!from || !calls)
        die("its definitions cannot be opened");
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
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(calls, member_is);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(calls, class_is);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(calls, instance_is);
    if (OTF2_Reader_RegisterGlobalDefCallbacks(reader, from, calls, reading) != OTF2_SUCCESS ||
        OTF2_Reader_ReadAllGlobalDefinitions(reader, from, &count) != OTF2_SUCCESS)
        die("its definitions are damaged or cut off (behind definition %llu of %s.def)",
            (unsigned long long)count, archive_name());
    OTF2_GlobalDefReaderCallbacks_Delete(calls);
    OTF2_Reader_CloseGlobalDefReader(reader, from);
}
