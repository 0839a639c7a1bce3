/* Everything that the events refer to. */
#define _GNU_SOURCE
#include "writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct defining {
    OTF2_GlobalDefWriter *to;
    struct writer *writer;
    uint32_t strings, groups;
};

static uint32_t string(struct defining *defining, const char *text)
{
    check(OTF2_GlobalDefWriter_WriteString(defining->to, defining->strings, text));
    return defining->strings++;
}

/* A text of a file need not end. What is not printable is not taken. */
static uint32_t bounded(struct defining *defining, const char *from, size_t size,
                        const char *otherwise)
{
    char text[257];
    snprintf(text, sizeof text, "%.*s", (int)(size < 256 ? size : 256), from);
    for (char *at = text; *at; at++)
        *at = (unsigned char)*at < 0x20 || (unsigned char)*at > 0x7E ? '?' : *at;
    return string(defining, *text ? text : otherwise);
}

static int starts_with(const char *name, const char *begin)
{
    return !strncmp(name, begin, strlen(begin));
}

static OTF2_RegionRole role_of(const char *name)
{
    const int collective = collective_named(name);
    if (collective == OTF2_COLLECTIVE_OP_BARRIER)
        return OTF2_REGION_ROLE_BARRIER;
    if (collective == OTF2_COLLECTIVE_OP_BCAST || collective == OTF2_COLLECTIVE_OP_SCATTER ||
        collective == OTF2_COLLECTIVE_OP_SCATTERV)
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    if (collective == OTF2_COLLECTIVE_OP_REDUCE || collective == OTF2_COLLECTIVE_OP_GATHER ||
        collective == OTF2_COLLECTIVE_OP_GATHERV)
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    if (collective >= 0)
        return collective == OTF2_COLLECTIVE_OP_SCAN || collective == OTF2_COLLECTIVE_OP_EXSCAN
                   ? OTF2_REGION_ROLE_COLL_OTHER
                   : OTF2_REGION_ROLE_COLL_ALL2ALL;
    if (starts_with(name, "Neighbor_") || starts_with(name, "Ineighbor_"))
        return OTF2_REGION_ROLE_COLL_OTHER;
    if (starts_with(name, "File_"))
        return OTF2_REGION_ROLE_FILE_IO;
    if (starts_with(name, "Win_") || starts_with(name, "Put") || starts_with(name, "Get_acc") ||
        !strcmp(name, "Get") || starts_with(name, "Rput") || starts_with(name, "Rget") ||
        strcasestr(name, "accumulate") || !strcmp(name, "Fetch_and_op") ||
        !strcmp(name, "Compare_and_swap"))
        return OTF2_REGION_ROLE_RMA;
    return strcasestr(name, "send") || strcasestr(name, "recv") || starts_with(name, "Wait") ||
                   starts_with(name, "Test") || starts_with(name, "Start") ||
                   strcasestr(name, "probe")
               ? OTF2_REGION_ROLE_POINT2POINT
               : OTF2_REGION_ROLE_FUNCTION;
}

static void define_region(struct defining *defining, uint32_t reference, const char *operation)
{
    char name[64];
    snprintf(name, sizeof name, "MPI_%s", operation);
    const uint32_t text = string(defining, name);
    check(OTF2_GlobalDefWriter_WriteRegion(defining->to, reference, text, text, 0,
                                           role_of(operation), OTF2_PARADIGM_MPI,
                                           OTF2_REGION_FLAG_NONE, STRING_MPI, 0, 0));
}

static void define_regions(struct defining *defining)
{
    define_region(defining, REGION_INIT, "Init");
    define_region(defining, REGION_INIT_THREAD, "Init_thread");
    define_region(defining, REGION_FINALIZE, "Finalize");
    /* Scalasca looks for it. */
    check(OTF2_GlobalDefWriter_WriteRegion(defining->to, REGION_PROGRAM, STRING_PROGRAM,
                                           STRING_PROGRAM, 0, OTF2_REGION_ROLE_ARTIFICIAL,
                                           OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_FLAG_NONE,
                                           0, 0, 0));
    for (uint32_t i = 0; i < defining->writer->operation_count; i++)
        define_region(defining, FIRST_OPERATION + i, defining->writer->operations[i]);
}

/* The host of a rank as a node of the system, 1 and up; 0 is the machine. */
static uint32_t define_host(struct defining *defining, char (*hosts)[256], uint32_t *count,
                            const char *name)
{
    uint32_t i = *count;
    while (i > 0 && strncmp(hosts[i - 1], name, 255))
        i--;
    if (i)
        return i;
    snprintf(hosts[*count], 256, "%.255s", name);
    const uint32_t text = bounded(defining, name, 255, "unknown"), kind = string(defining, "node");
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(defining->to, ++*count, text, kind, 0));
    check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(defining->to, *count,
                                                         OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    return *count;
}

static void define_rank(struct defining *defining, int32_t rank, uint32_t host)
{
    const struct source *source = &defining->writer->sources[rank];
    char name[48];
    snprintf(name, sizeof name, "MPI Rank %d", (int)rank);
    check(OTF2_GlobalDefWriter_WriteLocationGroup(
        defining->to, (uint32_t)rank, string(defining, name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
        host, OTF2_UNDEFINED_LOCATION_GROUP));
    for (uint32_t thread = 0; thread < source->threads || !thread; thread++) {
        snprintf(name, sizeof name, thread ? "Thread %u" : "Master thread", thread);
        check(OTF2_GlobalDefWriter_WriteLocation(
            defining->to, location_of(rank, thread), string(defining, name),
            OTF2_LOCATION_TYPE_CPU_THREAD, thread < source->threads ? source->counts[thread] : 0,
            (uint32_t)rank));
    }
}

static void define_places(struct defining *defining)
{
    struct writer *writer = defining->writer;
    char (*hosts)[256] = xrealloc(NULL, (size_t)writer->ranks, sizeof *hosts);
    uint32_t count = 0;
    const uint32_t machine = string(defining, "machine");
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(defining->to, 0, machine, machine,
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (int32_t rank = 0; rank < writer->ranks; rank++) {
        const struct trace_header *header = writer->sources[rank].header;
        define_rank(defining, rank,
                    define_host(defining, hosts, &count, header ? header->node : "unknown"));
    }
    free(hosts);
}

static uint32_t define_group(struct defining *defining, OTF2_GroupType type, uint32_t count,
                             const uint64_t *members)
{
    check(OTF2_GlobalDefWriter_WriteGroup(defining->to, defining->groups, 0, type,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, members));
    return defining->groups++;
}

static uint32_t define_members(struct defining *defining, uint64_t id, int32_t first)
{
    const struct writer *writer = defining->writer;
    uint32_t i = 0;
    while (i < writer->group_count &&
           (writer->groups[i].id != id || writer->groups[i].first != first))
        i++;
    const struct group *group = &writer->groups[i];
    uint64_t *members = xrealloc(NULL, (size_t)group->size, sizeof *members);
    for (int32_t k = 0; k < group->size; k++)
        members[k] = (uint64_t)group->members[k];
    const uint32_t reference =
        define_group(defining, OTF2_GROUP_TYPE_COMM_GROUP, (uint32_t)group->size, members);
    free(members);
    return reference;
}

static uint32_t define_everybody(struct defining *defining)
{
    const int32_t ranks = defining->writer->ranks;
    uint64_t *members = xrealloc(NULL, (size_t)ranks, sizeof *members);
    for (int32_t rank = 0; rank < ranks; rank++)
        members[rank] = location_of(rank, 0);
    define_group(defining, OTF2_GROUP_TYPE_COMM_LOCATIONS, (uint32_t)ranks, members);
    for (int32_t rank = 0; rank < ranks; rank++)
        members[rank] = (uint64_t)rank;
    const uint32_t world =
        define_group(defining, OTF2_GROUP_TYPE_COMM_GROUP, (uint32_t)ranks, members);
    free(members);
    return world;
}

static void define_sets(struct defining *defining)
{
    const struct writer *writer = defining->writer;
    for (uint32_t i = 0; i < writer->set_count; i++) {
        const struct set *set = &writer->sets[i];
        uint64_t *members = xrealloc(NULL, (size_t)set->count, sizeof *members);
        for (int32_t k = 0; k < set->count; k++)
            members[k] = (uint64_t)set->ranks[k];
        define_group(defining, OTF2_GROUP_TYPE_COMM_GROUP, (uint32_t)set->count, members);
        free(members);
    }
}

static void define_attributes(struct defining *defining)
{
    static const char *const names[] = { "call: communicator",   "call: received from",
                                         "call: bytes",          "call: series",
                                         "SOURCE_CODE_LOCATION", "call: function",
                                         "call: level" };
    static const OTF2_Type types[] = { OTF2_TYPE_COMM,
                                       OTF2_TYPE_GROUP,
                                       OTF2_TYPE_UINT64,
                                       OTF2_TYPE_UINT64,
                                       OTF2_TYPE_SOURCE_CODE_LOCATION,
                                       OTF2_TYPE_STRING,
                                       OTF2_TYPE_INT32 };
    for (uint32_t i = 0; i < ATTRIBUTES; i++)
        check(OTF2_GlobalDefWriter_WriteAttribute(defining->to, i, string(defining, names[i]), 0,
                                                  types[i]));
}

/* What each has counted since the start of the job, at the begins and ends of some calls. */
static void define_counters(struct defining *defining)
{
    const struct writer *writer = defining->writer;
    OTF2_MetricMemberRef members[UINT8_MAX];
    for (uint32_t i = 0; i < writer->counter_count; i++) {
        const uint32_t name = string(defining, writer->counters[i]);
        members[i] = i;
        check(OTF2_GlobalDefWriter_WriteMetricMember(
            defining->to, i, name, STRING_EMPTY, OTF2_METRIC_TYPE_OTHER,
            OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, STRING_EMPTY));
    }
    if (writer->counter_count)
        check(OTF2_GlobalDefWriter_WriteMetricClass(defining->to, 0, (uint8_t)writer->counter_count,
                                                    members, OTF2_METRIC_SYNCHRONOUS,
                                                    OTF2_RECORDER_KIND_CPU));
}

static void define_communicators(struct defining *defining)
{
    struct writer *writer = defining->writer;
    const uint32_t world = define_everybody(defining),
                   self = define_group(defining, OTF2_GROUP_TYPE_COMM_SELF, 0, NULL);
    define_sets(defining);
    for (uint32_t i = 0; i < writer->communicator_count; i++) {
        const struct communicator *communicator = &writer->communicators[i];
        const uint32_t flags = communicator->flags;
        if (communicator->reference == NONE)
            continue;
        const uint32_t name = flags & IS_WORLD  ? string(defining, "MPI_COMM_WORLD")
                              : flags & IS_SELF ? string(defining, "MPI_COMM_SELF")
                                                : bounded(defining, communicator->name,
                                                          sizeof communicator->name, "");
        const uint32_t group =
            flags & IS_WORLD  ? world
            : flags & IS_SELF ? self
                              : define_members(defining, communicator->id, communicator->first);
        if (flags & IS_INTER)
            check(OTF2_GlobalDefWriter_WriteInterComm(
                defining->to, communicator->reference, name, group,
                define_members(defining, communicator->id, communicator->first_far),
                OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
        else
            check(OTF2_GlobalDefWriter_WriteComm(defining->to, communicator->reference, name, group,
                                                 OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
    for (uint32_t i = 0; i < writer->window_count; i++)
        if (writer->communicators[writer->windows[i].communicator].reference != NONE)
            check(OTF2_GlobalDefWriter_WriteRmaWin(
                defining->to, i, 0,
                writer->communicators[writer->windows[i].communicator].reference,
                writer->is_cut ? OTF2_RMA_WIN_FLAG_NONE : OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
}

/* Nanoseconds since the epoch of the trace's begin, by the first rank that is there. */
static uint64_t time_of_day(const struct writer *writer)
{
    for (int32_t rank = 0; rank < writer->ranks; rank++) {
        const struct trace_header *header = writer->sources[rank].header;
        if (!header)
            continue;
        const double ahead =
            ((double)time_of(writer, &writer->sources[rank], header->origin_ticks) -
             (double)writer->begin) *
            1e-9;
        const double day = header->origin_time - ahead;
        return day > 0 && day < 9e9 ? (uint64_t)(day * 1e9) : OTF2_UNDEFINED_TIMESTAMP;
    }
    return OTF2_UNDEFINED_TIMESTAMP;
}

static const char *program_of(const struct writer *writer)
{
    for (int32_t rank = 0; rank < writer->ranks; rank++)
        if (writer->sources[rank].header)
            return writer->sources[rank].header->program;
    return "";
}

void definitions_write(struct writer *writer)
{
    struct defining defining = { OTF2_Archive_GetGlobalDefWriter(writer->archive), writer, 0, 0 };
    if (!defining.to)
        die("the archive cannot be written");
    string(&defining, "");
    bounded(&defining, program_of(writer), 255, "program");
    string(&defining, "MPI"); /* also the file of MPI's regions, as Scalasca expects it */
    sites_define(defining.to, writer, &defining.strings);
    check(OTF2_GlobalDefWriter_WriteClockProperties(
        defining.to, 1000000000, writer->begin, writer->end - writer->begin, time_of_day(writer)));
    check(OTF2_GlobalDefWriter_WriteParadigm(defining.to, OTF2_PARADIGM_MPI, STRING_MPI,
                                             OTF2_PARADIGM_CLASS_PROCESS));
    define_regions(&defining);
    define_places(&defining);
    define_communicators(&defining);
    define_attributes(&defining);
    files_define(defining.to, writer, &defining.strings);
    define_counters(&defining);
    check(OTF2_Archive_CloseGlobalDefWriter(writer->archive, defining.to));
}
