/* scale RANKS FILE: the end of a job of RANKS ranks, in one process. Each rank's record is filled
 * by the code that counts calls, and all are put together by the code that does it in MPI_Finalize,
 * along the same tree. Only the messages between ranks are missing: what would be sent is handed
 * on. Prints one line of JSON; times are processor time in seconds.
 *
 * The job: 64 ranks a host; the ranks of host 7 (host 0 of a job that has no more) compute a
 * quarter longer, and all wait for one of them. */
#define _GNU_SOURCE
#include "events.h"
#include "facts.h"
#include "aggregating.h"
#include "operations.h"
#include "phases.h"
#include "profile.h"
#include "settings.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    A_HOST = 64,
    ROWS_OF_RANKS = 512,
    CALLS = 12,
    SITES = 12,
    SLOW_HOST = 7,
    BINS = 4,
    OPERATIONS = 9
};
enum operation { FOLDED, ALLREDUCE, BCAST, BARRIER, ALLTOALL, ALLGATHER, ISEND, IRECV, WAITALL };
const char *const operation_names[] = { "(overflowed)", "Allreduce", "Bcast", "Barrier", "Alltoall",
                                        "Allgather",    "Isend",     "Irecv", "Waitall" };
const char *const operation_groups[] = { "management", "collective", "collective",
                                         "sync",       "collective", "collective",
                                         "p2p",        "p2p",        "completion" };
const unsigned char operation_kinds[] = { KIND_OTHER,      KIND_COLLECTIVE, KIND_COLLECTIVE,
                                          KIND_COLLECTIVE, KIND_COLLECTIVE, KIND_COLLECTIVE,
                                          KIND_MESSAGES,   KIND_MESSAGES,   KIND_COMPLETION };
const unsigned operation_count = OPERATIONS;
const char collector_build[] = "scale";

static int ranks, slow_host;
static char facts[FACTS_SIZE];
static double making, leaves, choosing, merging, transferred;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t hash(uint64_t a, uint64_t b)
{
    a = (a + 1) * 0x9E3779B97F4A7C15ull ^ (b + 1) * 0xC2B2AE3D27D4EB4Full;
    return (a ^ a >> 29) * 0x9E3779B97F4A7C15ull >> 16;
}

/* Between -1 and 1, the same whenever it is asked. */
static double noise(uint64_t rank, uint64_t what)
{
    return (double)(hash(rank, what) % 20001) / 10000 - 1;
}

static int host_of(int rank)
{
    return rank / A_HOST;
}
static double run_seconds(void)
{
    return 600;
}
static double compute_seconds(int rank)
{
    return (host_of(rank) == slow_host ? 500 : 400) + 8 * noise((uint64_t)rank, 1);
}

/* The facts of the host at hand, with as many processors and as much memory as such a job's hosts
 * have. */
static void find_facts(void)
{
    static const char *const replaced[] = { "cpus", "cores", "memory", "memory_limit",
                                            "cgroup_cpus" };
    char found[FACTS_SIZE] = "", *rest = NULL;
    facts_of_node(found, sizeof found);
    for (char *line = strtok_r(found, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        int keep = 1;
        for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
            keep &= strncmp(line, replaced[i], strcspn(line, "\t")) ||
                    strlen(replaced[i]) != strcspn(line, "\t");
        if (keep)
            strcat(strcat(facts, line), "\n");
    }
    facts_add(facts, sizeof facts, "cpus", "64", "constructed");
    facts_add(facts, sizeof facts, "memory", "549755813888", "constructed");
}

/* ---- one rank's record ---- */

static void locate(uint64_t site, uint16_t *module, uint32_t *offset)
{
    *module = 1;
    *offset = (uint32_t)site * 16;
}

static void describe(int row, uint64_t id, unsigned size, unsigned class, unsigned order)
{
    struct communicator_row *communicator = &record->communicators[row];
    *communicator = (struct communicator_row){ .id = id,
                                               .size = size,
                                               .nodes = 1 + (size - 1) / A_HOST,
                                               .order = order,
                                               .class = (uint8_t)class,
                                               .world = row == 2,
                                               .used = 2 };
}

static void describe_communicators(int rank)
{
    const unsigned in_row = ranks < ROWS_OF_RANKS ? (unsigned)ranks : ROWS_OF_RANKS;
    describe(2, 1, (unsigned)ranks, ranks > A_HOST ? CLASS_MULTI_NODE : CLASS_INTRA_NODE, 0);
    describe(3, 1000000 + (uint64_t)rank, 1, CLASS_SELF, 1);
    describe(4, 2000000 + (uint64_t)host_of(rank), ranks < A_HOST ? (unsigned)ranks : A_HOST,
             CLASS_INTRA_NODE, 2);
    describe(5, 3000000 + (uint64_t)(rank / ROWS_OF_RANKS), in_row, CLASS_MULTI_NODE, 3);
}

static void count(struct block *block, uint64_t site, uint64_t key, uint64_t bytes, double seconds)
{
    for (int i = 0; i < CALLS; i++) {
        block->begin = block->last;
        block->last += (uint64_t)(seconds / CALLS * 1e9);
        event_count(block, site, key, bytes);
    }
}

/* Half of the time in one operation on the world, as where all wait; the other half in the others,
 * from many sites. */
static void count_calls(struct block *block, int rank, double seconds)
{
    static const struct {
        int operation, communicator;
        unsigned class;
    } kinds[] = { { ALLREDUCE, 2, CLASS_MULTI_NODE }, { BCAST, 2, CLASS_MULTI_NODE },
                  { BARRIER, 2, CLASS_MULTI_NODE },   { ALLTOALL, 5, CLASS_MULTI_NODE },
                  { ALLGATHER, 4, CLASS_INTRA_NODE }, { ISEND, 0, CLASS_OTHER },
                  { ISEND, 0, CLASS_INTRA_NODE },     { IRECV, 0, CLASS_OTHER },
                  { WAITALL, 0, CLASS_NONE } };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    count(block, 1, event_key(ALLREDUCE, CLASS_MULTI_NODE, bin_number(8), 2), 8, seconds / 2);
    for (int i = 0; i < KINDS; i++)
        for (uint64_t site = 2; site < SITES; site++) {
            uint64_t bytes = kinds[i].operation == BARRIER || kinds[i].operation == WAITALL
                                 ? 0
                                 : 8ull << 4 * (site % BINS);
            double share = seconds / 2 / KINDS / (SITES - 2) *
                           (1 + 0.2 * noise((uint64_t)rank, site * KINDS + (uint64_t)i));
            count(block, site,
                  event_key((unsigned)kinds[i].operation, kinds[i].class,
                            bytes ? bin_number(bytes) : 0, (unsigned)kinds[i].communicator),
                  bytes, share);
        }
    for (int i = 1; i <= 3; i++) {
        peer_count(block, (rank + i) % ranks, CLASS_INTRA_NODE, 4096);
        peer_count(block, (rank + i * A_HOST) % ranks, CLASS_OTHER, 65536);
    }
}

/* Three parts of collectives and one of completions, alike from the first slice to the last. */
static void fill_slices(struct phases *phases, double seconds)
{
    enum { USED = 75 };
    memset(phases, 0, sizeof *phases);
    for (uint32_t i = 0; i < USED; i++)
        phases->slices[i] = (struct slice){ .sums = { .bytes = 1 << 20, .calls = CALLS },
                                            .width = run_seconds() / USED,
                                            .index = i,
                                            .used = 1 };
    for (uint32_t i = 0; i < USED; i++) {
        phases->slices[i].sums.ticks[KIND_COLLECTIVE] = (uint64_t)(0.75e9 * seconds / USED);
        phases->slices[i].sums.ticks[KIND_COMPLETION] = (uint64_t)(0.25e9 * seconds / USED);
    }
}

static void make_record(int rank)
{
    struct rank_record *own = &record->rank;
    struct block *block = record->block[0];
    const double begin = 1.7e9 + 0.01 * noise((uint64_t)rank, 2);
    memset(block->events, 0, sizeof block->events);
    memset(block->peers, 0, sizeof block->peers);
    block->used_events = block->used_peers = block->last = 0;
    block->events[0].shortest = UINT64_MAX;
    own->rank = rank;
    own->ranks = ranks;
    own->node = host_of(rank);
    own->state = STATE_FINALIZED;
    own->process_begin = begin - 2;
    own->init_begin = begin - 1;
    own->init_end = begin;
    own->finalize_begin = begin + run_seconds();
    own->finalize_end = own->finalize_begin + 0.01;
    own->seconds_per_tick = 1e-9;
    own->event_overhead = 30e-9;
    own->threads = own->threads_called = own->cores = 1;
    own->memory_peak = (uint64_t)(2e9 + 1e8 * noise((uint64_t)rank, 3));
    own->user_time = run_seconds();
    own->collector_memory = 1 << 20;
    snprintf(own->node_name, sizeof own->node_name, "n%04d", host_of(rank));
    snprintf(own->cpu_list, sizeof own->cpu_list, "%d", rank % A_HOST);
    strcpy(record->facts, rank % A_HOST ? "" : facts);
    if (!(rank % A_HOST))
        facts_add(record->facts, sizeof record->facts, "host.serial", own->node_name,
                  "its facts are not those of any other");
    describe_communicators(rank);
    count_calls(block, rank, run_seconds() - compute_seconds(rank));
    fill_slices(&block->phases, run_seconds() - compute_seconds(rank));
}

/* What matching would have found of 4096 instances: all wait in the first operation, for one rank
 * of the slow host. */
static void add_waits(struct merged *merged, int rank)
{
    const double time = (run_seconds() - compute_seconds(rank)) / 2,
                 wait = host_of(rank) == slow_host ? 0 : 0.8 * time;
    const int delaying_rank =
        slow_host * A_HOST +
        (int)(hash((uint64_t)rank, 4) % (ranks < A_HOST ? (unsigned)ranks : A_HOST));
    merged_add(merged, TABLE_WAITS,
               &(struct profile_waits){ .rank = rank,
                                        .communicator = 1,
                                        .operation = ALLREDUCE,
                                        .class = CLASS_MULTI_NODE,
                                        .bin = 4,
                                        .calls = CALLS,
                                        .sampled = 10,
                                        .time = time,
                                        .duration = time,
                                        .wait = wait,
                                        .wait_wait = 1e-4,
                                        .wait_duration = 1e-4,
                                        .duration_duration = 1e-4 });
    merged_add(
        merged, TABLE_DELAYS,
        &(struct profile_delays){ .rank = rank,
                                  .class = CLASS_MULTI_NODE,
                                  .instances = 4096,
                                  .last = host_of(rank) == slow_host ? 4096.0 / A_HOST : 0 });
    if (wait > 0)
        merged_add(merged, TABLE_DELAYS,
                   &(struct profile_delays){
                       .rank = delaying_rank, .class = CLASS_MULTI_NODE, .delay_cost = wait });
}

/* ---- the job ---- */

/* As job_hand_on begins. What it takes is returned. */
static double leaf(int rank, struct merged *merged)
{
    double begin = now();
    make_record(rank);
    double made = now();
    merged_add_record(merged, record);
    add_waits(merged, rank);
    merged_sort_and_combine(merged);
    if (ranks > setting_full_ranks())
        merged_summarise(merged);
    double end = now();
    making += made - begin;
    leaves += end - made;
    return end - made;
}

/* A rank and its subtree: `ready` is when it has all, if every rank began at 0. */
struct chosen {
    struct extremes extremes;
    double ready;
};

static struct chosen choose(int rank, int level)
{
    struct merged merged = { 0 };
    struct chosen own;
    leaf(rank, &merged);
    double begin = now();
    extremes_start(&own.extremes, &merged);
    own.ready = now() - begin;
    choosing += own.ready;
    merged_free(&merged);
    for (int i = 0; i < level && rank + (1 << i) < ranks; i++) {
        struct chosen child = choose(rank + (1 << i), i);
        begin = now();
        extremes_merge(&own.extremes, &child.extremes);
        double took = now() - begin;
        choosing += took;
        own.ready = fmax(own.ready, child.ready) + took;
    }
    return own;
}

/* The rows of all ranks, as a message would bring them. */
static double hand_on_long(struct merged *to, const struct merged *from)
{
    double joined = 0;
    for (enum merged_long table = 0; table < LONG_TABLES; table++) {
        size_t size;
        double begin = now();
        const void *rows = merged_long_rows(from, table, &size);
        void *room = merged_long_room(to, table, size);
        if (size)
            memcpy(room, rows, size);
        double moved = now();
        merged_long_join(to, table, size);
        transferred += moved - begin;
        joined += now() - moved;
    }
    return joined;
}

static double hand_on(struct merged *to, struct merged *from, double ready, double from_ready)
{
    size_t size;
    double begin = now();
    char *bytes = merged_pack(from, &size);
    double packed = now();
    if (!bytes || !merged_unpack(to, bytes, size))
        exit(1);
    free(bytes);
    double unpacked = now(), joined = hand_on_long(to, from);
    merging += unpacked - begin + joined;
    return fmax(ready, from_ready + packed - begin) + unpacked - packed + joined;
}

static double subtree(int rank, int level, struct merged *merged, const struct extremes *extremes)
{
    double ready = leaf(rank, merged), begin = now();
    if (extremes && !extremes_have(extremes, rank))
        merged_aggregate(merged, ranks);
    merged->aggregated = extremes != NULL;
    leaves += now() - begin;
    ready += now() - begin;
    for (int i = 0; i < level && rank + (1 << i) < ranks; i++) {
        struct merged child = { 0 };
        double child_ready = subtree(rank + (1 << i), i, &child, extremes);
        ready = hand_on(merged, &child, ready, child_ready);
        merged_free(&child);
    }
    return ready;
}

int main(int words, char **word)
{
    struct profile_facts about = {
        "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022",
        "/usr/lib/libmpi.so.40",
        "3.1",
        "",
        "",
        0,
        ""
    };
    struct merged merged = { 0 };
    struct chosen chosen = { .ready = 0 };
    int levels = 0;
    ranks = words > 2 ? atoi(word[1]) : 0;
    if (ranks < 2)
        return 2;
    while (1 << levels < ranks)
        levels++;
    slow_host = host_of(ranks - 1) < SLOW_HOST ? 0 : SLOW_HOST;
    unsetenv("ADVISOR_OUTPUT");
    record_open();
    record_block();
    event_locate = locate;
    record->modules[1] = (struct module_row){ .used = 1, .path = "/scratch/bin/program" };
    find_facts();
    settings_from_environment(record->settings, sizeof record->settings);
    const int folds = ranks > setting_full_ranks();
    if (folds)
        chosen = choose(0, levels);
    making = leaves = 0;
    double path = subtree(0, levels, &merged, folds ? &chosen.extremes : NULL) + chosen.ready,
           begin = now();
    about.ranks = ranks;
    int written = profile_write(&merged, &about, word[2]);
    printf("{\"ranks\": %d, \"own\": %.6f, \"merge\": %.6f, \"path\": %.6f, \"transfer\": %.6f, "
           "\"write\": %.6f, \"rows\": %zu, \"record\": %.6f}\n",
           ranks, leaves / ranks, merging + choosing, path, transferred, now() - begin,
           merged.tables[TABLE_CALLS].count, making / ranks);
    merged_free(&merged);
    return !written;
}
