/* Facts about this rank as a process: its library, thread level, cores, memory and processor use.
 * */
#define _GNU_SOURCE
#include "rank_facts.h"
#include "library.h"
#include "communicators.h"
#include "events.h"
#include "placement.h"
#include "restrictions.h"
#include "sites.h"
#include "files.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct usage usage_at_start;

static unsigned level_of(int level)
{
    return level == MPI_THREAD_MULTIPLE     ? 3
           : level == MPI_THREAD_SERIALIZED ? 2
           : level == MPI_THREAD_FUNNELED   ? 1
                                            : 0;
}

static void describe_library(struct rank_record *rank)
{
    int length = 0, version = 0, subversion = 0;
    if (real.Get_library_version)
        real.Get_library_version(rank->library, &length);
    if (real.Get_version && real.Get_version(&version, &subversion) == MPI_SUCCESS)
        snprintf(rank->standard, sizeof rank->standard, "%d.%d", version, subversion);
    const char *device = strstr(rank->library, "MPICH Device:");
    if (device)
        sscanf(device + 13, " %63[^\n]", rank->device);
    snprintf(rank->library_path, sizeof rank->library_path, "%s", library_path());
}

void rank_describe(struct rank_record *rank, int requested, int provided)
{
    rank->thread_requested = level_of(requested);
    rank->thread_provided = level_of(provided);
    describe_library(rank);
    rank->cores = placement_cpus(rank->cpu_list, sizeof rank->cpu_list);
    const char *threads = getenv("OMP_NUM_THREADS");
    rank->omp_threads = threads ? (uint32_t)atoi(threads) : 0;
}

/* Mean cost of counting one call, on rows that are cleared again afterwards. */
double rank_call_cost(void)
{
    enum { TIMES = 2000 };
    struct block *scratch = calloc(1, sizeof *scratch);
    uint64_t best = UINT64_MAX;
    if (!scratch)
        return 0;
    for (int round = 0; round < 5; round++) {
        uint64_t begin = clock_ticks();
        for (int i = 0; i < TIMES; i++) {
            scratch->begin = clock_ticks();
            scratch->last = clock_ticks();
            event_count(scratch, 0, event_key(1, 1, i & 7, 0), 8);
        }
        uint64_t ticks = clock_ticks() - begin;
        best = ticks < best ? ticks : best;
    }
    current = NULL;
    free(scratch);
    return (double)best / TIMES * clock_seconds_per_tick();
}

static uint64_t collector_memory(void)
{
    return record_memory() + sites_own_image() + communicators_memory() + files_memory();
}

void rank_usage_begins(struct rank_record *rank)
{
    rank->collector_memory = collector_memory();
    usage_at_start = placement_usage();
}

/* 0 where the program has taken away what can be read of it. */
static uint64_t grown(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

void rank_take_usage(struct rank_record *rank)
{
    rank->collector_memory = collector_memory();
    rank->seconds_per_tick = clock_seconds_per_tick();
    rank->restricted = restrictions_now();
    rank->memory_peak = restrictions_memory_peak();
    if (rank->restricted)
        return;
    struct usage now = placement_usage();
    rank->user_time = now.user_time;
    rank->system_time = now.system_time;
    rank->voluntary_switches = now.voluntary_switches - usage_at_start.voluntary_switches;
    rank->involuntary_switches = now.involuntary_switches - usage_at_start.involuntary_switches;
    rank->major_faults = now.major_faults - usage_at_start.major_faults;
    rank->write_requests = grown(usage_at_start.write_requests, now.write_requests);
    rank->write_bytes = grown(usage_at_start.write_bytes, now.write_bytes);
    rank->read_requests = grown(usage_at_start.read_requests, now.read_requests);
    rank->read_bytes = grown(usage_at_start.read_bytes, now.read_bytes);
    rank->threads = placement_busy_threads(&rank->no_core_helpers);
    placement_thread_cpus(rank->thread_cpu_list, sizeof rank->thread_cpu_list);
    if (!strcmp(rank->thread_cpu_list, rank->cpu_list))
        *rank->thread_cpu_list = 0;
}
