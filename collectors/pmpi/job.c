/* The ranks of the job: who shares a host with whom, and handing everything to rank 0 at the end.
 */
#define _GNU_SOURCE
#include "lifecycle.h"
#include "talk.h"
#include "communicators.h"
#include "clock.h"
#include "folding.h"
#include "muster.h"
#include "pile.h"
#include "restrictions.h"
#include "waits.h"
#include "settings.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct job job;

enum { TAG_EXTREMES = 4, LONGEST_LINE = 8192 };

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
static int is_crowded(int ranks)
{
    return ranks > sysconf(_SC_NPROCESSORS_ONLN);
}

static void find_hosts(void)
{
    struct place mine = { host_hash(), (uint64_t)(uintptr_t)&record->rank.pid, record->rank.pid,
                          clock_day() };
    struct place *places = malloc(sizeof mine * (size_t)job.size);
    job.node_of = malloc(sizeof *job.node_of * (size_t)job.size);
    if (!job_all(places && job.node_of)) {
        job.talks = 0;
    } else if (job_hear(&mine, places, sizeof mine) == MPI_SUCCESS) {
        job.nodes = number_hosts(places, job.size, job.node_of);
    }
    if (job.nodes) {
        job.node = (int)job.node_of[job.rank];
        job.crowded = is_crowded(ranks_here());
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

int job_is_spawned(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    return real.Comm_get_parent && real.Comm_get_parent(&parent) == MPI_SUCCESS &&
           parent != MPI_COMM_NULL;
}

void job_start(void)
{
    MPI_Group world;
    real.Comm_rank(MPI_COMM_WORLD, &job.rank);
    real.Comm_size(MPI_COMM_WORLD, &job.size);
    real.Comm_group(MPI_COMM_WORLD, &world);
    job.leader = 1;
    job.crowded = is_crowded(muster_local_size());
    job.talks =
        *setting_output() && muster_complete(job.rank, job.size) && job_open() == MPI_SUCCESS;
    if (job.talks) {
        real.Comm_set_errhandler(job.comm, MPI_ERRORS_RETURN);
        find_hosts();
    } else if (muster_one_host(job.size)) {
        job.node_of = calloc((size_t)job.size, sizeof *job.node_of);
    }
    record->rank.rank = job.rank;
    record->rank.ranks = job.size;
    record->rank.node = job.node_of ? job.node : -1;
    communicators_start(job.rank, job.size, world, job.node_of);
    communicator_meet(MPI_COMM_WORLD);
    communicator_meet(MPI_COMM_SELF);
    if (job.talks)
        clocks_compare(0);
}

static void send_pile(const struct pile *pile, int to)
{
    size_t size = 0;
    char *bytes = pile_pack(pile, &size);
    job_send(bytes, bytes ? size : 0, to);
    free(bytes);
    for (enum pile_long table = 0; table < LONG_TABLES; table++) {
        const void *rows = pile_long_rows(pile, table, &size);
        job_send(rows, size, to);
    }
}

static int receive_pile(struct pile *pile, int from)
{
    size_t size = 0;
    char *bytes = job_receive(from, &size);
    int good = bytes && pile_unpack(pile, bytes, size);
    free(bytes);
    for (enum pile_long table = 0; table < LONG_TABLES; table++) {
        uint64_t length = 0;
        void *room = NULL;
        good &= job_take_size(&length, from);
        if (length && (room = pile_long_room(pile, table, length)) &&
            job_take_pieces(room, length, from))
            pile_long_join(pile, table, length);
        good &= room || !length;
    }
    return good && !pile->failed;
}

static void tell_the_end(struct pile *pile)
{
    struct pile_rank *own = pile->ranks.rows;
    if (!own)
        return;
    own->values.finalize_end = clock_epoch();
    const double describing = (double)record->rank.describing_ticks * record->rank.seconds_per_tick;
    own->values.finalize_cost = own->values.finalize_end - own->values.finalize_begin +
                                record->rank.counter_time + describing;
}

/* A binomial tree: log2(ranks) steps, and no rank holds more than its half of the tree. */
static int gather(struct pile *pile)
{
    int complete = 1;
    for (int distance = 1; distance < job.size; distance *= 2) {
        if (job.rank & distance) {
            tell_the_end(pile);
            send_pile(pile, job.rank - distance);
            return 1;
        }
        if (job.rank + distance < job.size)
            complete &= receive_pile(pile, job.rank + distance);
    }
    return complete;
}

/* Is this one of the ranks whose rows are kept? The extreme ones are found up and down the same
 * tree. */
static int is_kept(const struct pile *pile)
{
    struct extremes mine, theirs;
    extremes_start(&mine, pile);
    for (int distance = 1; distance < job.size; distance *= 2) {
        if (job.rank & distance) {
            job_give(&mine, sizeof mine, job.rank - distance, TAG_EXTREMES);
            break;
        }
        if (job.rank + distance < job.size &&
            job_take(&theirs, sizeof theirs, job.rank + distance, TAG_EXTREMES) == MPI_SUCCESS)
            extremes_merge(&mine, &theirs);
    }
    return job_tell(&mine, sizeof mine) != MPI_SUCCESS || extremes_have(&mine, job.rank);
}

/* All ranks must do the same, so rank 0 says from how many ranks on. */
static void fold_if_many(struct pile *pile)
{
    int full = setting_full_ranks();
    if (job_tell(&full, sizeof full) != MPI_SUCCESS || job.size <= full)
        return;
    pile_summarise(pile);
    if (!is_kept(pile))
        pile_fold(pile, job.size);
    pile->folded = 1;
}

/* In silence where the program has forbidden it itself, or where the line would not fit into its
 * file of errors. */
static void complain(const char *reason, unsigned restricted)
{
    struct stat facts;
    record->rank.restricted |= restricted;
    if (!restricted && !fstat(STDERR_FILENO, &facts) &&
        (!S_ISREG(facts.st_mode) || record_may_grow_to((uint64_t)facts.st_size + LONGEST_LINE)))
        fprintf(stderr,
                "advisor: the profile could not be written to %s (%s); the run itself is not "
                "affected\n",
                setting_output(), reason);
}

static int write_profile(struct pile *pile, int complete)
{
    char path[4096];
    struct profile_facts facts = { record->rank.library,
                                   record->rank.library_path,
                                   record->rank.standard,
                                   record->rank.device,
                                   record->rank.transport,
                                   job.size,
                                   complete ? ""
                                            : "Some ranks could not hand on what they had counted",
                                   record->rank.missing_counters };
    tell_the_end(pile);
    snprintf(path, sizeof path, "%s/merged.profile", setting_output());
    int written = profile_write(pile, &facts, path);
    if (!written)
        complain(strerror(errno), restrictions_by(errno));
    return written;
}

/* The records stay if rank 0 could not write: the launcher's side collects them. */
void job_hand_on(void)
{
    struct pile pile = { 0 };
    int written = 0;
    if (!*setting_output()) {
        record_remove();
        return;
    }
    clocks_compare(1);
    record->rank.finalize_end = clock_epoch();
    pile_add_record(&pile, record);
    waits_find(&pile);
    pile_tidy(&pile);
    fold_if_many(&pile);
    if (job.rank == 0)
        chosen_parts(record->rank.transport, sizeof record->rank.transport,
                     1); /* while others get ready */
    int complete = gather(&pile);
    if (job.rank == 0)
        written = write_profile(&pile, complete);
    pile_free(&pile);
    /* Asked of all, so that nobody goes on before all have come: MPICH 4 over TCP may hang in
     * MPI_Finalize if ranks come there far apart, with connections that are still being made. */
    if (job_all(job.rank || written))
        record_remove();
    real.Comm_free(&job.comm);
}
