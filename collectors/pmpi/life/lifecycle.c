/* From MPI_Init to MPI_Finalize, and the handling of ranks that end otherwise. */
#define _GNU_SOURCE
#include "calls.h"
#include "counters.h"
#include "gather.h"
#include "job.h"
#include "phases.h"
#include "threads.h"
#include "tool_interface.h"
#include "world.h"
#include "parent_rank.h"
#include "facts.h"
#include "host_load.h"
#include "rendezvous.h"
#include "operations.h"
#include "placement.h"
#include "rank_facts.h"
#include "restrictions.h"
#include "settings.h"
#include "sites.h"
#include "backtrace.h"
#include "tracing.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int sessions;
static unsigned
    left_alone; /* the process may make no call, not even to learn whether it is a child */

static void begin_measuring(void)
{
    clock_start();
    record_open();
    if (!record)
        return;
    threads_start();
    record->rank.process_begin = placement_process_begin();
    record->rank.init_begin = clock_epoch();
    record->rank.ticks_are_tsc = (uint32_t)clock_is_counter;
    placement_host(record->rank.node_name, sizeof record->rank.node_name);
}

/* Before the library's own settings follow on rank 0; once, also if a program goes on from sessions
 * to a world. */
static void take_environment(void)
{
    if (!*record->settings)
        settings_from_environment(record->settings, sizeof record->settings);
}

/* What was tried goes first: the facts of the host do not guess then. */
static void take_facts(void)
{
    if (job.reads)
        facts_add(record->facts, sizeof record->facts, "cma", job.reads > 0 ? "true" : "false",
                  "process_vm_readv between two ranks");
    facts_of_node(record->facts, sizeof record->facts);
    host_load_start(record->facts, sizeof record->facts);
}

static void start_counting(int requested, int provided)
{
    struct rank_record *rank = &record->rank;
    rank_describe(rank, requested, provided);
    sites_start();
    stacks_start();
    callers_start();
    threads_add_own();
    rank->event_overhead = rank_call_cost();
    rank->seconds_per_tick = clock_seconds_per_tick();
    clock_origin(&rank->origin_time, &rank->origin_ticks);
    rank_usage_begins(rank);
    rank->init_end = clock_epoch();
    threads_start_slices();
    trace_start();
    __atomic_store_n(&counting_phase, PHASE_COUNTING, __ATOMIC_RELEASE);
    current = own_block;
    run_delay_start(own_block);
    counters_start(own_block);
}

/* One MPI_Init only, and not the one that the library makes inside another. `after_sessions`: a
 * program that has used sessions goes on with a world; its record goes on too. */
static int is_first(int after_sessions)
{
    library_find();
    if (after_sessions && record_is_ours() && record->rank.sessions_only) {
        record->rank.sessions_only = 0;
        record->rank.state = STATE_RUNNING;
        counting_phase = PHASE_STARTING;
        current = NULL;
        rendezvous_arrive();
        return 1;
    }
    if (counting_phase != PHASE_BEFORE)
        return 0;
    counting_phase = restrictions_came() || parent_rank_is_measured() ? PHASE_OVER : PHASE_STARTING;
    if (counting_phase == PHASE_OVER)
        return 0;
    begin_measuring();
    if (record && after_sessions)
        rendezvous_arrive();
    return record != NULL;
}

static void initialized(int status, int requested)
{
    int provided = requested;
    if (status != MPI_SUCCESS || !record)
        return;
    if (job_is_spawned()) { /* its ranks would pass for those of the job that started it */
        rendezvous_withdraw();
        record_remove();
        counting_phase = PHASE_OVER;
        return;
    }
    if (real.Query_thread)
        real.Query_thread(&provided);
    restrictions_watch();
    job_start();
    if (job.talks && job.leader)
        record_clear_old();
    if (job.leader && !*record->facts)
        take_facts();
    take_environment();
    if (job.rank == 0) {
        control_variables(provided, record->settings, sizeof record->settings);
        library_components(record->rank.transport, sizeof record->rank.transport, 0);
    }
    performance_variables_start(provided);
    counters_find();
    if (job.talks)
        job_barrier(); /* what some ranks did longer than others must not look like their imbalance
                        */
    start_counting(requested, provided);
}

/* Around calls that are wrapped by hand and counted as well. */
static struct block *begin_rare(void)
{
    struct block *block = current;
    if (!block && own_block && counters_enter(own_block))
        block = own_block;
    if (block) {
        current = NULL;
        event_begin(block);
    }
    return block;
}

static void end_rare(struct block *block, unsigned operation, const void *caller)
{
    if (!block)
        return;
    block->last = clock_ticks();
    call_count(block, operation, caller, CLASS_NONE);
    trace_call(block, operation, caller);
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
    int first = is_first(1);
    int status = real.Init(argc, argv);
    if (first)
        initialized(status, MPI_THREAD_SINGLE);
    return status;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int first = is_first(1);
    int status = real.Init_thread(argc, argv, required, provided);
    if (first)
        initialized(status, required);
    return status;
}

static void stop_counting(uint32_t state)
{
    counting_phase = PHASE_OVER;
    current = NULL;
    counters_end(own_block);
    run_delay_end(own_block);
    record->rank.finalize_begin = clock_epoch();
    /* Other threads may still be inside a call when the program aborts. */
    for (uint32_t i = 0; i < record->rank.blocks; i++)
        if (state == STATE_FINALIZED || record->block[i] == own_block)
            phases_end(record->block[i], clock_ticks());
    rank_take_usage(&record->rank);
    restrictions_end();
    if (!record->rank.restricted)
        host_load_end(record->facts, sizeof record->facts);
    record->rank.state = state;
    trace_stop();
}

/* Who may make no call leaves the record where it lies, and then nobody can gather. */
static void end_measuring(void)
{
    stop_counting(STATE_FINALIZED);
    const int all_may = !job.talks || job_all(!record->rank.restricted);
    record->rank.finalize_end = clock_epoch();
    left_alone = record->rank.restricted;
    if (left_alone)
        return;
    performance_variables_end();
    if (job.talks && all_may)
        job_hand_on();
    else
        record_hand_over();
    rendezvous_end();
    trace_end();
}

EXPORT int MPI_Finalize(void)
{
    if (counting_phase == PHASE_COUNTING && !record->rank.sessions_only)
        end_measuring();
    library_find();
    return real.Finalize();
}

EXPORT int MPI_Abort(MPI_Comm comm, int code)
{
    if (counting_phase == PHASE_COUNTING && record_is_ours())
        stop_counting(STATE_NOT_FINALIZED);
    trace_end();
    library_find();
    return real.Abort(comm, code);
}

#if defined(HAS_SESSIONS)
EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    int first = is_first(0);
    __atomic_fetch_add(&sessions, 1, __ATOMIC_RELAXED);
    struct block *block = begin_rare();
    int status = real.Session_init(info, errhandler, session);
    end_rare(block, OPERATION_SESSION_INIT, CALLER);
    if (!first || status != MPI_SUCCESS)
        return status;
    record->rank.sessions_only = 1;
    restrictions_watch();
    job_start_session(session);
    facts_of_node(record->facts, sizeof record->facts);
    host_load_start(record->facts, sizeof record->facts);
    take_environment();
    counters_find();
    start_counting(MPI_THREAD_SINGLE, MPI_THREAD_SINGLE);
    return status;
}

/* Without MPI_COMM_WORLD nobody may be asked to join a gather: each process hands its record over
 * by itself, at its end. */
EXPORT int MPI_Session_finalize(MPI_Session *session)
{
    if (__atomic_sub_fetch(&sessions, 1, __ATOMIC_RELAXED) == 0 &&
        counting_phase == PHASE_COUNTING && record_is_ours() && record->rank.sessions_only) {
        stop_counting(STATE_FINALIZED);
        job_end_session();
        record->rank.finalize_end = clock_epoch();
    }
    struct block *block = begin_rare();
    int status = real.Session_finalize(session);
    end_rare(block, OPERATION_SESSION_FINALIZE, CALLER);
    return status;
}
EXPORT __typeof__(MPI_Session_init) PMPI_Session_init __attribute__((alias("MPI_Session_init")));
EXPORT __typeof__(MPI_Session_finalize) PMPI_Session_finalize
    __attribute__((alias("MPI_Session_finalize")));
#endif

/* Its level is the name of what follows. Its variable arguments mean something to other tools only;
 * whether there are any cannot be told, so they are not touched. */
EXPORT int MPI_Pcontrol(const int level, ...)
{
    library_find();
    struct block *block = begin_rare();
    int outcome = real.Pcontrol ? real.Pcontrol(level) : MPI_SUCCESS;
    if (block)
        __atomic_fetch_add(&record->rank.control_levels, 1, __ATOMIC_RELAXED);
    if (block)
        trace_level(block, level);
    end_rare(block, OPERATION_PCONTROL, CALLER);
    if (block)
        phases_region(block, level, block->last);
    trace_region(level);
    return outcome;
}

EXPORT __typeof__(MPI_Init) PMPI_Init __attribute__((alias("MPI_Init")));
EXPORT __typeof__(MPI_Init_thread) PMPI_Init_thread __attribute__((alias("MPI_Init_thread")));
EXPORT __typeof__(MPI_Finalize) PMPI_Finalize __attribute__((alias("MPI_Finalize")));
EXPORT __typeof__(MPI_Abort) PMPI_Abort __attribute__((alias("MPI_Abort")));
EXPORT __typeof__(MPI_Pcontrol) PMPI_Pcontrol __attribute__((alias("MPI_Pcontrol")));

static __attribute__((constructor)) void loaded(void)
{
    settings_keep();
    restrictions_begin();
}

/* exit() without MPI_Finalize: no communication here, the record tells. */
__attribute__((destructor)) static void left(void)
{
    if (left_alone || !record_is_ours())
        return;
    if (counting_phase == PHASE_COUNTING && record->rank.state == STATE_RUNNING)
        stop_counting(STATE_NOT_FINALIZED);
    if (record->rank.restricted)
        return;
    record_hand_over();
    trace_end();
}
