/* Writes a trace of any length: ranks that compute, exchange with their neighbours and reduce.
 * Usage: write_trace FOLDER RANKS STEPS; 16 events a rank and step. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = { "step",      "MPI_Init",    "MPI_Finalize", "MPI_Irecv",
                                     "MPI_Isend", "MPI_Waitall", "MPI_Allreduce" };
enum {
    STEP,
    INIT,
    FINALIZE,
    IRECV,
    ISEND,
    WAITALL,
    ALLREDUCE,
    REGIONS,
    EVENTS_A_STEP = 16,
    TICKS_A_STEP = 100000
};

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

static void write_step(OTF2_EvtWriter *to, uint64_t time, uint32_t left, uint32_t right,
                       uint64_t late, uint64_t request)
{
    uint64_t at = time + late;
    OTF2_EvtWriter_Enter(to, NULL, time, STEP);
    OTF2_EvtWriter_Enter(to, NULL, at += 1000, IRECV);
    OTF2_EvtWriter_MpiIrecvRequest(to, NULL, at += 100, request);
    OTF2_EvtWriter_Leave(to, NULL, at += 100, IRECV);
    OTF2_EvtWriter_Enter(to, NULL, at += 100, ISEND);
    OTF2_EvtWriter_MpiIsend(to, NULL, at += 100, right, 0, 1, 4096, request + 1);
    OTF2_EvtWriter_Leave(to, NULL, at += 100, ISEND);
    OTF2_EvtWriter_Enter(to, NULL, at += 100, WAITALL);
    at = time + 50000;
    OTF2_EvtWriter_MpiIrecv(to, NULL, at += 100, left, 0, 1, 4096, request);
    OTF2_EvtWriter_MpiIsendComplete(to, NULL, at += 100, request + 1);
    OTF2_EvtWriter_Leave(to, NULL, at += 100, WAITALL);
    OTF2_EvtWriter_Enter(to, NULL, at += late / 2 + 1, ALLREDUCE);
    OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, at += 100);
    at = time + 90000;
    OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, at += 100, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, 64, 64);
    OTF2_EvtWriter_Leave(to, NULL, at += 100, ALLREDUCE);
    OTF2_EvtWriter_Leave(to, NULL, at += 100, STEP);
}

static void write_rank(OTF2_Archive *archive, uint32_t rank, uint32_t ranks, uint64_t steps)
{
    OTF2_EvtWriter *to = OTF2_Archive_GetEvtWriter(archive, rank);
    uint64_t random = rank * 2654435761u + 1;
    OTF2_EvtWriter_Enter(to, NULL, 10, INIT);
    OTF2_EvtWriter_Leave(to, NULL, 20, INIT);
    for (uint64_t step = 0; step < steps; step++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        write_step(to, 1000 + step * TICKS_A_STEP, (rank + ranks - 1) % ranks, (rank + 1) % ranks,
                   random >> 33 & 0x7FFF, step % 1000 * 2);
    }
    OTF2_EvtWriter_Enter(to, NULL, 2000 + steps * TICKS_A_STEP, FINALIZE);
    OTF2_EvtWriter_Leave(to, NULL, 2010 + steps * TICKS_A_STEP, FINALIZE);
    OTF2_Archive_CloseEvtWriter(archive, to);
}

static void define(OTF2_Archive *archive, uint32_t ranks, uint64_t steps)
{
    OTF2_GlobalDefWriter *to = OTF2_Archive_GetGlobalDefWriter(archive);
    uint64_t *members = calloc(ranks, sizeof *members);
    OTF2_GlobalDefWriter_WriteClockProperties(to, 1000000000, 0, 2010 + steps * TICKS_A_STEP,
                                              OTF2_UNDEFINED_TIMESTAMP);
    for (uint32_t i = 0; i < REGIONS; i++)
        OTF2_GlobalDefWriter_WriteString(to, i, names[i]);
    OTF2_GlobalDefWriter_WriteString(to, REGIONS, "");
    OTF2_GlobalDefWriter_WriteString(to, REGIONS + 1, "node");
    for (uint32_t i = 0; i < REGIONS; i++)
        OTF2_GlobalDefWriter_WriteRegion(to, i, i, i, REGIONS, OTF2_REGION_ROLE_UNKNOWN,
                                         i ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
                                         OTF2_REGION_FLAG_NONE, REGIONS, 0, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, REGIONS + 1, REGIONS + 1,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < ranks; i++) {
        members[i] = i;
        OTF2_GlobalDefWriter_WriteLocationGroup(to, i, REGIONS, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(to, i, REGIONS, OTF2_LOCATION_TYPE_CPU_THREAD,
                                           4 + EVENTS_A_STEP * steps, i);
    }
    OTF2_GlobalDefWriter_WriteGroup(to, 0, REGIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, ranks, members);
    OTF2_GlobalDefWriter_WriteGroup(to, 1, REGIONS, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, ranks, members);
    OTF2_GlobalDefWriter_WriteComm(to, 0, REGIONS, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_OpenDefFiles(archive);
    for (uint32_t i = 0; i < ranks; i++)
        OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i));
    OTF2_Archive_CloseDefFiles(archive);
}

int main(int count, char **words)
{
    OTF2_FlushCallbacks flush = { before, after };
    if (count != 4)
        return fprintf(stderr, "usage: write_trace FOLDER RANKS STEPS\n"), 2;
    const uint32_t ranks = (uint32_t)atoi(words[2]);
    const uint64_t steps = strtoull(words[3], NULL, 10);
    OTF2_Archive *archive = OTF2_Archive_Open(words[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20,
                                              1 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    for (uint32_t rank = 0; rank < ranks; rank++)
        write_rank(archive, rank, ranks, steps);
    OTF2_Archive_CloseEvtFiles(archive);
    define(archive, ranks, steps);
    return OTF2_Archive_Close(archive) != OTF2_SUCCESS;
}
