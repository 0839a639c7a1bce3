/* Merges the counts of all ranks on rank 0, which writes the profile. */
#define _GNU_SOURCE
#include "gather.h"
#include "file_room.h"
#include "job.h"
#include "tool_interface.h"
#include "clock.h"
#include "aggregating.h"
#include "profile.h"
#include "restrictions.h"
#include "clocks.h"
#include "waits.h"
#include "settings.h"
#include "spool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TAG_EXTREMES = 4, LONGEST_LINE = 8192 };

static void send_merged(const struct merged *merged, int to)
{
    size_t size = 0;
    char *bytes = merged_pack(merged, &size);
    job_send_bytes(bytes, bytes ? size : 0, to);
    free(bytes);
    for (enum merged_long table = 0; table < LONG_TABLES; table++) {
        const void *rows = merged_long_rows(merged, table, &size);
        job_send_bytes(rows, size, to);
    }
}

static int receive_merged(struct merged *merged, int from)
{
    size_t size = 0;
    char *bytes = job_recv_bytes(from, &size);
    int good = bytes && merged_unpack(merged, bytes, size);
    free(bytes);
    for (enum merged_long table = 0; table < LONG_TABLES; table++) {
        uint64_t length = 0;
        void *room = NULL;
        good &= job_recv_size(&length, from);
        if (length && (room = merged_long_room(merged, table, length)) &&
            job_recv_pieces(room, length, from))
            merged_long_join(merged, table, length);
        good &= room || !length;
    }
    return good && !merged->failed;
}

static void tell_the_end(struct merged *merged)
{
    struct profile_ranks *own = merged->tables[TABLE_RANKS].rows;
    if (!own)
        return;
    own->finalize_end = clock_epoch();
    const double describing = (double)record->rank.describing_ticks * record->rank.seconds_per_tick;
    own->finalize_overhead =
        own->finalize_end - own->finalize_begin + record->rank.counter_time + describing;
}

/* A binomial tree: log2(ranks) steps, and no rank holds more than its half of the tree. */
static int gather(struct merged *merged)
{
    int complete = 1;
    for (int distance = 1; distance < job.size; distance *= 2) {
        if (job.rank & distance) {
            tell_the_end(merged);
            send_merged(merged, job.rank - distance);
            return 1;
        }
        if (job.rank + distance < job.size)
            complete &= receive_merged(merged, job.rank + distance);
    }
    return complete;
}

/* Is this one of the ranks whose rows are kept? The extreme ones are found up and down the same
 * tree. */
static int is_kept(const struct merged *merged)
{
    struct extremes mine, theirs;
    extremes_start(&mine, merged);
    for (int distance = 1; distance < job.size; distance *= 2) {
        if (job.rank & distance) {
            job_send(&mine, sizeof mine, job.rank - distance, TAG_EXTREMES);
            break;
        }
        if (job.rank + distance < job.size &&
            job_recv(&theirs, sizeof theirs, job.rank + distance, TAG_EXTREMES) == MPI_SUCCESS)
            extremes_merge(&mine, &theirs);
    }
    return job_bcast(&mine, sizeof mine) != MPI_SUCCESS || extremes_have(&mine, job.rank);
}

/* All ranks must do the same, so rank 0 says from how many ranks on. */
static void aggregate_if_many(struct merged *merged)
{
    int full = setting_full_ranks();
    if (job_bcast(&full, sizeof full) != MPI_SUCCESS || job.size <= full)
        return;
    merged_summarise(merged);
    if (!is_kept(merged))
        merged_aggregate(merged, job.size);
    merged->aggregated = 1;
}

/* In silence where the program has forbidden it itself, or where the line would not fit into its
 * file of errors. */
static void complain(const char *reason, unsigned restricted)
{
    struct stat facts;
    record->rank.restricted |= restricted;
    if (!restricted && !fstat(STDERR_FILENO, &facts) &&
        (!S_ISREG(facts.st_mode) || file_may_grow_to((uint64_t)facts.st_size + LONGEST_LINE)))
        fprintf(stderr,
                "advisor: the profile could not be written to %s (%s); the run itself is not "
                "affected\n",
                setting_output(), reason);
}

/* Nobody stands beside the job who could add that. No arguments: they may hold secrets. */
static void describe_run(struct text *text)
{
    char program[4096], started[32];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    const time_t begin = (time_t)record->rank.init_begin;
    const char *job = getenv("SLURM_JOB_ID");
    struct tm day;
    program[length > 0 ? length : 0] = 0;
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%S+00:00", gmtime_r(&begin, &day));
    text_add(text, "{\"program\":");
    text_add_json(text, program);
    text_add(text, ",\"started\":\"%s\",\"scheduler\":\"Slurm\",\"job\":", started);
    text_add_json(text, job ? job : "");
    text_add(text, "}");
}

static int spool_profile(const struct merged *merged, struct profile_facts *facts)
{
    struct text run;
    text_start(&run, NULL, 0);
    describe_run(&run);
    facts->run = run.failed ? NULL : run.memory;
    const int written = profile_to_spool(merged, facts);
    text_end(&run);
    return written;
}

static int write_profile(struct merged *merged, int complete)
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
                                   record->rank.missing_counters,
                                   NULL };
    tell_the_end(merged);
    if (*setting_spool())
        return spool_profile(merged, &facts);
    snprintf(path, sizeof path, "%s/merged.profile", setting_output());
    int written = profile_write(merged, &facts, path);
    if (!written)
        complain(strerror(errno), restrictions_by(errno));
    return written;
}

/* Where nobody asked for a profile, the job waits so long for it and no longer: all ranks agree to
 * give it up. */
static int is_in_time(double begin)
{
    return !*setting_spool() ||
           job_all(clock_monotonic() * 1e-9 < begin + setting_finish_seconds());
}

/* Everything up to the profile. 0: it took too long. */
static int hand_on(struct merged *merged, int *written)
{
    const double begin = clock_monotonic() * 1e-9;
    clocks_compare(1);
    record->rank.finalize_end = clock_epoch();
    merged_add_record(merged, record);
    if (!is_in_time(begin))
        return 0;
    waits_find(merged);
    merged_sort_and_combine(merged);
    if (!is_in_time(begin))
        return 0;
    aggregate_if_many(merged);
    if (job.rank == 0)
        library_components(record->rank.transport, sizeof record->rank.transport,
                           1); /* while others get ready */
    const int complete = gather(merged);
    if (job.rank == 0)
        *written = write_profile(merged, complete);
    return 1;
}

/* The records stay if rank 0 could not write: the launcher's side collects them. */
void job_hand_on(void)
{
    struct merged merged = { 0 };
    int written = 0;
    if (!setting_keeps()) {
        record_remove();
        return;
    }
    const int in_time = hand_on(&merged, &written);
    if (job.rank == 0 && !written)
        spool_tell_missing(in_time ? "unwritten" : "slow");
    merged_free(&merged);
    /* Asked of all, so that nobody goes on before all have come: MPICH 4 over TCP may hang in
     * MPI_Finalize if ranks come there far apart, with connections that are still being made. */
    if (job_all(job.rank || written))
        record_remove();
    real.Comm_free(&job.comm);
}
