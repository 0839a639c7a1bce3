/* Ranks that share a node. */
#define _GNU_SOURCE
#include "hosts.h"
#include "job.h"
#include "clock.h"
#include "record.h"
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static uint64_t host_hash(void)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (const char *at = record->rank.node_name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
    return hash ? hash : 1;
}

/* What a rank says of itself: its host, its process, where a copy of the process number lies in it,
 * and what it takes for the time of day. */
struct place {
    uint64_t hash, address;
    int64_t pid;
    double day;
};

/* Hosts in the order in which ranks meet them: 0 is the host of rank 0. */
static int number_hosts(const struct place *places, int count, uint32_t *node_of)
{
    size_t room = 16;
    while (room < (size_t)count * 2)
        room *= 2;
    struct {
        uint64_t hash;
        uint32_t index;
    } *table = calloc(room, sizeof *table);
    int nodes = 0;
    if (!table)
        return 0;
    for (int i = 0; i < count; i++) {
        size_t slot = places[i].hash & (room - 1);
        while (table[slot].hash && table[slot].hash != places[i].hash)
            slot = (slot + 1) & (room - 1);
        if (!table[slot].hash) {
            table[slot].hash = places[i].hash;
            table[slot].index = (uint32_t)nodes++;
        }
        node_of[i] = table[slot].index;
    }
    free(table);
    return nodes;
}

/* Can this rank read the memory of another one of its host? That is what libraries do to copy a
 * message once. A guess from the kernel's settings fails in containers and where the library has
 * allowed it by prctl. */
static void try_reading(const struct place *places)
{
    int32_t seen = 0;
    for (int i = 0; i < job.size && !job.reads; i++) {
        if (i == job.rank || job.node_of[i] != (uint32_t)job.node)
            continue;
        struct iovec here = { &seen, sizeof seen },
                     there = { (void *)(uintptr_t)places[i].address, sizeof seen };
        int right = process_vm_readv((pid_t)places[i].pid, &here, 1, &there, 1, 0) == sizeof seen &&
                    seen == places[i].pid;
        job.reads = right ? 1 : -1;
    }
}

/* Ranks of a host that started before and after its clock was set: the first of them counts. */
static void agree_on_the_day(const struct place *places)
{
    int first = 0;
    while (job.node_of[first] != (uint32_t)job.node)
        first++;
    const double later = clock_take_day(places[first].day);
    record->rank.process_begin += record->rank.process_begin > 0 ? later : 0;
    record->rank.init_begin += later;
}

static int ranks_here(void)
{
    int count = 0;
    for (int i = 0; i < job.size; i++)
        count += job.node_of[i] == (uint32_t)job.node;
    return count;
}

/* By the cores of the host: those that a rank is bound to are not all that its neighbours have. */
int hosts_are_crowded(int ranks)
{
    return ranks > sysconf(_SC_NPROCESSORS_ONLN);
}

void hosts_find(void)
{
    struct place mine = { host_hash(), (uint64_t)(uintptr_t)&record->rank.pid, record->rank.pid,
                          clock_day() };
    struct place *places = malloc(sizeof mine * (size_t)job.size);
    job.node_of = malloc(sizeof *job.node_of * (size_t)job.size);
    if (!job_all(places && job.node_of)) {
        job.talks = 0;
    } else if (job_allgather(&mine, places, sizeof mine) == MPI_SUCCESS) {
        job.nodes = number_hosts(places, job.size, job.node_of);
    }
    if (job.nodes) {
        job.node = (int)job.node_of[job.rank];
        job.crowded = hosts_are_crowded(ranks_here());
        agree_on_the_day(places);
        try_reading(places);
    }
    free(places);
    if (!job.nodes) {
        free(job.node_of);
        job.node_of = NULL;
        return;
    }
    job.leader = 1;
    for (int i = 0; i < job.rank && job.leader; i++)
        job.leader = job.node_of[i] != (uint32_t)job.node;
}
