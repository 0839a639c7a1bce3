/* Writes an OTF2 archive from lines on standard input, for tests: see archives.py for what the
 * lines are. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };
static const char *strings[MOST];
static int string_count, regions, groups;
static char *region_names[MOST];
static uint64_t events[MOST], offsets[MOST];
static int rank_of[MOST], hosts[MOST], locations, ranks;
static uint64_t ticks = 1000000;
static OTF2_GlobalDefWriter *definitions;
static OTF2_EvtWriter *writers[MOST];

static OTF2_FlushType before(void *d, OTF2_FileType t, OTF2_LocationRef l, void *c, bool f)
{
    (void)d, (void)t, (void)l, (void)c, (void)f;
    return OTF2_FLUSH;
}
static OTF2_TimeStamp after(void *d, OTF2_FileType t, OTF2_LocationRef l)
{
    (void)d, (void)t, (void)l;
    return 0;
}

static void must(OTF2_ErrorCode code, const char *what)
{
    if (code != OTF2_SUCCESS) {
        fprintf(stderr, "%s: %s\n", what, OTF2_Error_GetDescription(code));
        exit(1);
    }
}

static uint32_t string(const char *value)
{
    for (int i = 0; i < string_count; i++)
        if (!strcmp(strings[i], value))
            return (uint32_t)i;
    strings[string_count] = strdup(value);
    must(OTF2_GlobalDefWriter_WriteString(definitions, (uint32_t)string_count, value), "string");
    return (uint32_t)string_count++;
}

static uint32_t region(const char *name)
{
    for (int i = 0; i < regions; i++)
        if (!strcmp(region_names[i], name))
            return (uint32_t)i;
    region_names[regions] = strdup(name);
    int mpi = !strncmp(name, "MPI_", 4);
    must(OTF2_GlobalDefWriter_WriteRegion(
             definitions, (uint32_t)regions, string(name), string(name), string(""),
             OTF2_REGION_ROLE_UNKNOWN, mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
             OTF2_REGION_FLAG_NONE, string(mpi ? "" : "program.c"), mpi ? 0 : 12, 0),
         "region");
    return (uint32_t)regions++;
}

static uint32_t group(OTF2_GroupType type, uint32_t count, const uint64_t *members)
{
    must(OTF2_GlobalDefWriter_WriteGroup(definitions, (uint32_t)groups, string(""), type,
                                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, members),
         "group");
    return (uint32_t)groups++;
}

static uint32_t members_from(char *words, uint64_t *members)
{
    uint32_t count = 0;
    for (char *rest = words, *word; (word = strtok(rest, " \n")); rest = NULL)
        members[count++] = strtoull(word, NULL, 10);
    return count;
}

/* What stands in a neighbourhood call: its communicator, the group that it receives from, its
 * payload. */
static OTF2_AttributeList *neighbours(uint32_t communicator, uint32_t group, uint64_t bytes)
{
    static OTF2_AttributeList *list;
    list = list ? list : OTF2_AttributeList_New();
    must(OTF2_AttributeList_AddCommRef(list, 0, communicator), "attribute");
    must(OTF2_AttributeList_AddGroupRef(list, 1, group), "attribute");
    must(OTF2_AttributeList_AddUint64(list, 2, bytes), "attribute");
    return list;
}

static void write_attributes(void)
{
    static const char *const names[] = { "call: communicator", "call: received from",
                                         "call: bytes" };
    static const OTF2_Type types[] = { OTF2_TYPE_COMM, OTF2_TYPE_GROUP, OTF2_TYPE_UINT64 };
    for (uint32_t i = 0; i < 3; i++)
        must(OTF2_GlobalDefWriter_WriteAttribute(definitions, i, string(names[i]), string(""),
                                                 types[i]),
             "attribute");
}

/* Events: what they are called, then their numbers. */
static void event(const char *kind, int at, uint64_t time, const char *name, const uint64_t *n)
{
    OTF2_EvtWriter *to = writers[at];
    const uint32_t a = (uint32_t)n[0], b = (uint32_t)n[1], c = (uint32_t)n[2];
    events[at]++;
#define IS(word) (!strcmp(kind, word))
    must(IS("enter")        ? OTF2_EvtWriter_Enter(to, NULL, time, region(name))
         : IS("neighbours") ? OTF2_EvtWriter_Enter(to, neighbours(a, b, n[2]), time,
                                                   region("MPI_Neighbor_allgather"))
         : IS("lock")   ? OTF2_EvtWriter_RmaAcquireLock(to, NULL, time, a, b, 0,
                                                        c ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE)
         : IS("unlock") ? OTF2_EvtWriter_RmaReleaseLock(to, NULL, time, a, b, 0)
         : IS("meet")
             ? OTF2_EvtWriter_RmaGroupSync(to, NULL, time, OTF2_RMA_SYNC_LEVEL_PROCESS, a, b)
         : IS("leave")       ? OTF2_EvtWriter_Leave(to, NULL, time, region(name))
         : IS("begin")       ? OTF2_EvtWriter_ProgramBegin(to, NULL, time, string(name), 0, NULL)
         : IS("send")        ? OTF2_EvtWriter_MpiSend(to, NULL, time, a, b, c, n[3])
         : IS("isend")       ? OTF2_EvtWriter_MpiIsend(to, NULL, time, a, b, c, n[3], n[4])
         : IS("isend_done")  ? OTF2_EvtWriter_MpiIsendComplete(to, NULL, time, n[0])
         : IS("recv")        ? OTF2_EvtWriter_MpiRecv(to, NULL, time, a, b, c, n[3])
         : IS("irecv")       ? OTF2_EvtWriter_MpiIrecvRequest(to, NULL, time, n[0])
         : IS("irecv_done")  ? OTF2_EvtWriter_MpiIrecv(to, NULL, time, a, b, c, n[3], n[4])
         : IS("cancelled")   ? OTF2_EvtWriter_MpiRequestCancelled(to, NULL, time, n[0])
         : IS("collective")  ? OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, time, (OTF2_CollectiveOp)a,
                                                               b, c, n[3], n[4])
         : IS("icollective") ? OTF2_EvtWriter_NonBlockingCollectiveRequest(to, NULL, time, n[0])
         : IS("icollective_done")
             ? OTF2_EvtWriter_NonBlockingCollectiveComplete(to, NULL, time, (OTF2_CollectiveOp)a, b,
                                                            c, n[3], n[4], n[5])
         : IS("win_made") ? OTF2_EvtWriter_RmaWinCreate(to, NULL, time, a)
         : IS("put")      ? OTF2_EvtWriter_RmaPut(to, NULL, time, a, b, n[2], 0)
         : IS("win_sync") ? OTF2_EvtWriter_RmaCollectiveEnd(to, NULL, time, (OTF2_CollectiveOp)a,
                                                            OTF2_RMA_SYNC_LEVEL_PROCESS, b, c, 0, 0)
                          : OTF2_ERROR_INVALID_ARGUMENT,
         kind);
}

static int metric_modes(const char *name)
{
    static const struct {
        const char *name;
        int mode;
    } modes[] = { { "accumulated_start", OTF2_METRIC_ACCUMULATED_START },
                  { "accumulated_point", OTF2_METRIC_ACCUMULATED_POINT },
                  { "absolute_point", OTF2_METRIC_ABSOLUTE_POINT },
                  { "relative_last", OTF2_METRIC_RELATIVE_LAST },
                  { "relative_next", OTF2_METRIC_RELATIVE_NEXT } };
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(name, modes[i].name))
            return modes[i].mode;
    exit(4);
}

/* Values are u5, i-5 or d0.5; nan is one, too. */
static void metric(int at, uint64_t time, char *words)
{
    OTF2_Type types[UINT8_MAX];
    OTF2_MetricValue values[UINT8_MAX];
    uint8_t count = 0;
    const uint32_t id = (uint32_t)strtoull(words, &words, 10);
    for (char *rest = words, *word; (word = strtok(rest, " \n")); rest = NULL, count++) {
        types[count] = *word == 'u'   ? OTF2_TYPE_UINT64
                       : *word == 'i' ? OTF2_TYPE_INT64
                                      : OTF2_TYPE_DOUBLE;
        if (*word == 'u')
            values[count].unsigned_int = strtoull(word + 1, NULL, 10);
        else if (*word == 'i')
            values[count].signed_int = strtoll(word + 1, NULL, 10);
        else
            values[count].floating_point = strtod(word + 1, NULL);
    }
    events[at]++;
    must(OTF2_EvtWriter_Metric(writers[at], NULL, time, id, count, types, values), "metric");
}

static int defines_metric(char *line)
{
    char name[64], mode[64];
    uint64_t wide[MOST];
    OTF2_MetricMemberRef members[UINT8_MAX];
    int a = 0, b = 0, c = 0, d = 0, e = 0, used = 0;
    if (sscanf(line, "member %d %63s %63s %d %d", &a, name, mode, &b, &c) == 5)
        must(OTF2_GlobalDefWriter_WriteMetricMember(
                 definitions, (uint32_t)a, string(name), string(""), OTF2_METRIC_TYPE_PAPI,
                 (OTF2_MetricMode)metric_modes(mode), OTF2_TYPE_UINT64,
                 b == 2 ? OTF2_BASE_BINARY : OTF2_BASE_DECIMAL, c, string("#")),
             "member");
    else if (sscanf(line, "class %d %n", &a, &used) == 1) {
        const uint32_t count = members_from(line + used, wide);
        for (uint32_t i = 0; i < count; i++)
            members[i] = (uint32_t)wide[i];
        must(OTF2_GlobalDefWriter_WriteMetricClass(definitions, (uint32_t)a, (uint8_t)count,
                                                   members, OTF2_METRIC_SYNCHRONOUS,
                                                   OTF2_RECORDER_KIND_CPU),
             "class");
    } else if (sscanf(line, "instance %d %d %d %d %d", &a, &b, &c, &d, &e) ==
               5) /* ID CLASS RECORDER SCOPE PLACE */
        must(OTF2_GlobalDefWriter_WriteMetricInstance(definitions, (uint32_t)a, (uint32_t)b,
                                                      (uint64_t)c, (OTF2_MetricScope)d,
                                                      (uint64_t)e),
             "instance");
    else
        return 0;
    return 1;
}

static void definition(OTF2_Archive *archive, char *line)
{
    uint64_t members[MOST];
    int used = 0, a = 0, b = 0;
    char name[64] = "";
    if (defines_metric(line))
        return;
    if (sscanf(line, "rank %d", &a) == 1) { /* rank HOST OFFSET: of the next rank */
        sscanf(line, "rank %d %llu", &a, (unsigned long long *)&offsets[locations]);
        rank_of[locations++] = ranks;
        hosts[ranks++] = a;
    } else if (sscanf(line, "thread %d", &a) == 1) /* thread RANK: one more location of it */
        rank_of[locations++] = a;
    else if (sscanf(line, "comm %d %63s %n", &a, name, &used) == 2)
        must(OTF2_GlobalDefWriter_WriteComm(
                 definitions, (uint32_t)a, string(name),
                 group(OTF2_GROUP_TYPE_COMM_GROUP, members_from(line + used, members), members),
                 OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
             "comm");
    else if (!strncmp(line, "group ", 6)) /* the next group */
        group(OTF2_GROUP_TYPE_COMM_GROUP, members_from(line + 6, members), members);
    else if (sscanf(line, "self %d", &a) == 1)
        must(OTF2_GlobalDefWriter_WriteComm(definitions, (uint32_t)a, string("MPI_COMM_SELF"),
                                            group(OTF2_GROUP_TYPE_COMM_SELF, 0, NULL),
                                            OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
             "self");
    else if (sscanf(line, "window %d %d", &a, &b) == 2)
        must(OTF2_GlobalDefWriter_WriteRmaWin(definitions, (uint32_t)a, string("window"),
                                              (uint32_t)b, OTF2_RMA_WIN_FLAG_NONE),
             "window");
    else if (sscanf(line, "creator %63[^\n]", name) == 1)
        must(OTF2_Archive_SetCreator(archive, name), "creator");
    else if (sscanf(line, "ticks %d", &a) == 1)
        ticks = (uint64_t)a;
    else {
        fprintf(stderr, "not understood: %s", line);
        exit(1);
    }
}

static void write_places(OTF2_Archive *archive, uint64_t length)
{
    uint64_t members[MOST];
    must(OTF2_GlobalDefWriter_WriteClockProperties(definitions, ticks, 1000, length,
                                                   OTF2_UNDEFINED_TIMESTAMP),
         "clock");
    must(OTF2_GlobalDefWriter_WriteSystemTreeNode(
             definitions, 0, string("cluster"), string("machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE),
         "machine");
    for (int i = 0; i < ranks; i++) {
        char name[32];
        snprintf(name, sizeof name, "host%d", hosts[i]);
        must(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, (uint32_t)(1 + i), string(name),
                                                      string("node"), 0),
             "node");
        must(OTF2_GlobalDefWriter_WriteLocationGroup(
                 definitions, (uint32_t)i, string("rank"), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                 (uint32_t)(1 + i), OTF2_UNDEFINED_LOCATION_GROUP),
             "process");
    }
    for (int i = 0; i < locations; i++)
        must(OTF2_GlobalDefWriter_WriteLocation(definitions, (uint64_t)i, string("thread"),
                                                OTF2_LOCATION_TYPE_CPU_THREAD, events[i],
                                                (uint32_t)rank_of[i]),
             "location");
    for (int i = 0, rank = 0; i < locations; i++)
        if (rank_of[i] == rank)
            members[rank++] = (uint64_t)i;
    group(OTF2_GROUP_TYPE_COMM_LOCATIONS, (uint32_t)ranks, members);
    OTF2_Archive_OpenDefFiles(archive);
    for (int i = 0; i < locations; i++) {
        OTF2_DefWriter *own = OTF2_Archive_GetDefWriter(archive, (uint64_t)i);
        /* Between two of them the library interpolates; one alone it does not use. */
        for (uint64_t at = 0; offsets[i] && at <= 1000000000; at += 1000000000)
            must(OTF2_DefWriter_WriteClockOffset(own, at, (int64_t)offsets[i], 0), "offset");
        OTF2_Archive_CloseDefWriter(archive, own);
    }
    OTF2_Archive_CloseDefFiles(archive);
}

int main(int count, char **words)
{
    OTF2_FlushCallbacks flush = { before, after };
    char line[1 << 14], kind[32], name[64];
    uint64_t time = 0, latest = 0, n[6];
    int at;
    if (count != 2)
        return 2;
    OTF2_Archive *archive = OTF2_Archive_Open(words[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20,
                                              1 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    definitions = OTF2_Archive_GetGlobalDefWriter(archive);
    string("");
    OTF2_Archive_OpenEvtFiles(archive);
    while (fgets(line, sizeof line, stdin)) {
        memset(n, 0, sizeof n);
        if (sscanf(line, "%d %llu %31s %n", &at, (unsigned long long *)&time, kind, &count) != 3) {
            definition(archive, line);
            continue;
        }
        if (at < 0 || at >= locations)
            return 3;
        if (!writers[at])
            writers[at] = OTF2_Archive_GetEvtWriter(archive, (uint64_t)at);
        sscanf(line + count, "%63s", name);
        char *from = line + count;
        for (int i = 0; i < 6; i++)
            n[i] = strtoull(from, &from, 10);
        time += 1000;
        latest = time > latest ? time : latest;
        if (!strcmp(kind, "metric"))
            metric(at, time, line + count);
        else
            event(kind, at, time, name, n);
    }
    for (int i = 0; i < locations; i++)
        if (writers[i])
            OTF2_Archive_CloseEvtWriter(archive, writers[i]);
    OTF2_Archive_CloseEvtFiles(archive);
    write_attributes();
    write_places(archive, latest - 1000);
    must(OTF2_Archive_Close(archive), "close");
    return 0;
}
