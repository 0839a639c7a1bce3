/* Classifies a region by its name: the operation, and whether it may wait. */
#define _GNU_SOURCE
#include "trace.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const class_names[CLASSES] = { "",           "self",  "intra_node", "one_per_node",
                                           "multi_node", "inter", "other",      "none" };

static const char *const lifecycle[] = { "Init",         "Init_thread",      "Finalize",
                                         "Session_init", "Session_finalize", "Abort",
                                         "Initialized",  "Finalized",        NULL };
static const char *const posts[] = { "Isend",
                                     "Ibsend",
                                     "Issend",
                                     "Irsend",
                                     "Isendrecv",
                                     "Isendrecv_replace",
                                     "Irecv",
                                     "Imrecv",
                                     "Start",
                                     "Startall",
                                     "Pready",
                                     "Pready_range",
                                     "Pready_list",
                                     "Iallgather",
                                     "Iallgatherv",
                                     "Iallreduce",
                                     "Ialltoall",
                                     "Ialltoallv",
                                     "Ialltoallw",
                                     "Ibarrier",
                                     "Ibcast",
                                     "Iexscan",
                                     "Igather",
                                     "Igatherv",
                                     "Ireduce",
                                     "Ireduce_scatter",
                                     "Ireduce_scatter_block",
                                     "Iscan",
                                     "Iscatter",
                                     "Iscatterv",
                                     "Ineighbor_allgather",
                                     "Ineighbor_allgatherv",
                                     "Ineighbor_alltoall",
                                     "Ineighbor_alltoallv",
                                     "Ineighbor_alltoallw",
                                     "Win_post",
                                     NULL };
static const char *const tests[] = { "Test",    "Testall",  "Testany",  "Testsome", "Iprobe",
                                     "Improbe", "Win_test", "Parrived", NULL };
static const char *const sized[] = { "Send",
                                     "Bsend",
                                     "Ssend",
                                     "Rsend",
                                     "Isend",
                                     "Ibsend",
                                     "Issend",
                                     "Irsend",
                                     "Sendrecv",
                                     "Sendrecv_replace",
                                     "Put",
                                     "Get",
                                     "Accumulate",
                                     "Get_accumulate",
                                     "Fetch_and_op",
                                     "Compare_and_swap",
                                     "Rput",
                                     "Rget",
                                     "Raccumulate",
                                     "Rget_accumulate",
                                     "Bcast",
                                     "Scatter",
                                     "Scatterv",
                                     "Gather",
                                     "Gatherv",
                                     "Reduce",
                                     "Allgather",
                                     "Allgatherv",
                                     "Allreduce",
                                     "Alltoall",
                                     "Alltoallv",
                                     "Alltoallw",
                                     "Reduce_scatter",
                                     "Reduce_scatter_block",
                                     "Scan",
                                     "Exscan",
                                     NULL };

static int is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(name, *list))
        list++;
    return *list != NULL;
}

static int carries(const char *name)
{
    char without[64];
    const char *end = strrchr(name, '_');
    if (end && (!strcmp(end, "_init") || !strcmp(end, "_end"))) /* it counts where it is started */
        return 0;
    if (*name != 'I' || is_one_of(name, sized) || strlen(name) >= sizeof without)
        return is_one_of(name, sized) || !strncmp(name, "File_read", 9) ||
               !strncmp(name, "File_write", 10) || !strncmp(name, "File_iread", 10) ||
               !strncmp(name, "File_iwrite", 11) || !strncmp(name, "Neighbor_", 9);
    strcpy(without, name + 1);
    *without = (char)toupper((unsigned char)*without);
    return is_one_of(without, sized) || !strncmp(without, "Neighbor_", 9);
}

/* "MPI_ALLREDUCE", "mpi_allreduce_" and "PMPI_Allreduce_c" → "Allreduce"; 0 if it is no MPI call.
 */
static int operation_from(const char *name, char *operation, size_t size)
{
    name += *name == 'P' || *name == 'p';
    size_t length = strlen(name);
    while (length && name[length - 1] == '_')
        length--;
    if (strncasecmp(name, "MPI_", 4) || length < 6 || length - 4 >= size ||
        !isalpha((unsigned char)name[4]))
        return 0;
    for (size_t i = 4; i < length; i++) {
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return 0;
        operation[i - 4] =
            (char)(i == 4 ? toupper((unsigned char)name[i]) : tolower((unsigned char)name[i]));
    }
    operation[length - 4] = 0;
    char *end = strrchr(operation, '_');
    if (end && (!strcmp(end, "_c") || !strcmp(end, "_f08") || !strcmp(end, "_f08ts")))
        *end = 0;
    return 1;
}

static int32_t operation_index(struct definitions *definitions, const char *operation)
{
    for (size_t i = 0; i < definitions->operation_count; i++)
        if (!strcmp(definitions->operations[i], operation))
            return (int32_t)i;
    definitions->operations = xrealloc(definitions->operations, definitions->operation_count + 1,
                                       sizeof *definitions->operations);
    if (definitions->operation_count >= 0xFFFF)
        die("it defines more kinds of MPI calls than there are");
    char *copy = strdup(operation);
    definitions->operations[definitions->operation_count] = copy ? copy : "";
    return (int32_t)definitions->operation_count++;
}

static int begins_with(const char *name, const char *const *list)
{
    while (*list && strncmp(name, *list, strlen(*list)))
        list++;
    return *list != NULL;
}

/* As the collector has it: METRICS 2. */
static enum slice_kind slice_of(const char *name)
{
    static const char *const io[] = { "File_", NULL },
                             *const completions[] = { "Wait",     "Test",
                                                      "Probe",    "Mprobe",
                                                      "Iprobe",   "Improbe",
                                                      "Parrived", "Request_get_status",
                                                      NULL },
                             *const onesided[] = { "Put",
                                                   "Get_accumulate",
                                                   "Accumulate",
                                                   "Rput",
                                                   "Rget",
                                                   "Raccumulate",
                                                   "Fetch_and_op",
                                                   "Compare_and_swap",
                                                   "Win_fence",
                                                   "Win_start",
                                                   "Win_complete",
                                                   "Win_post",
                                                   "Win_wait",
                                                   "Win_test",
                                                   "Win_lock",
                                                   "Win_unlock",
                                                   "Win_flush",
                                                   "Win_sync",
                                                   NULL },
                             *const collectives[] = { "Allgather", "Allreduce", "Alltoall", "Bcast",
                                                      "Exscan",    "Gather",    "Reduce",   "Scan",
                                                      "Scatter",   "Neighbor_", "Barrier",  NULL },
                             *const local[] = { "Reduce_local", NULL };
    char second[64];
    snprintf(second, sizeof second, "%s", name[0] == 'I' && name[1] ? name + 1 : name);
    *second = (char)toupper((unsigned char)*second);
    if (is_one_of(name, local))
        return SLICE_MANAGEMENT;
    return begins_with(name, io)                                 ? SLICE_IO
           : begins_with(name, completions)                      ? SLICE_COMPLETION
           : begins_with(name, onesided) || !strcmp(name, "Get") ? SLICE_ONESIDED
           : begins_with(second, collectives)                    ? SLICE_COLLECTIVE
           : strcasestr(name, "send") || strcasestr(name, "recv") || !strncmp(name, "Start", 5) ||
                   !strncmp(name, "Pready", 6)
               ? SLICE_MESSAGES
               : SLICE_MANAGEMENT;
}

struct region region_named(struct definitions *definitions, const char *name, int is_mpi)
{
    char operation[64];
    struct region region = { .operation = NONE, .kind = KIND_OTHER };
    if (!is_mpi || !operation_from(name, operation, sizeof operation))
        return region;
    region.operation = operation_index(definitions, operation);
    region.kind = is_one_of(operation, lifecycle) ? KIND_LIFECYCLE
                  : is_one_of(operation, posts)   ? KIND_POST
                  : is_one_of(operation, tests)   ? KIND_TEST
                                                  : KIND_CALL;
    region.begins = !strncmp(operation, "Init", 4) && (!operation[4] || operation[4] == '_');
    region.ends = !strcmp(operation, "Finalize");
    region.carries = (uint8_t)carries(operation);
    region.slice = (uint8_t)slice_of(operation);
    region.meeting = !strcmp(operation, "Win_post")       ? MEETING_POST
                     : !strcmp(operation, "Win_start")    ? MEETING_START
                     : !strcmp(operation, "Win_complete") ? MEETING_COMPLETE
                     : !strcmp(operation, "Win_wait") || !strcmp(operation, "Win_test")
                         ? MEETING_WAIT
                         : MEETING_NONE;
    region.unlocks = !strncmp(operation, "Win_unlock", 10);
    region.marks = !strcmp(operation, "Pcontrol");
    region.starts = !strncmp(operation, "Start", 5);
    region.is_neighbour = !strncmp(operation, "Neighbor_", 9) && !strstr(operation, "_init");
    return region;
}

const char *string_of(const struct definitions *definitions, uint32_t reference)
{
    return reference < definitions->string_count && definitions->strings[reference]
               ? definitions->strings[reference]
               : "";
}
