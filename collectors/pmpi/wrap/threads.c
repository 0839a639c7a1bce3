#define _GNU_SOURCE
#include "threads.h"
#include "callers.h"
#include "library.h"
#include "counters.h"
#include "events.h"
#include "phases.h"
#include "sampling_limits.h"
#include <pthread.h>

enum phase counting_phase;
__thread struct block *own_block __attribute__((tls_model("initial-exec")));
static __thread int ignored
    __attribute__((tls_model("initial-exec"))); /* a thread of the library */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t thread_end;
static struct block *ended[BLOCK_LIMIT];
static unsigned ended_count;
static uint64_t origin; /* of slices of time, ticks */

static void thread_ended(void *block)
{
    pthread_mutex_lock(&lock);
    if (ended_count < BLOCK_LIMIT)
        ended[ended_count++] = block;
    pthread_mutex_unlock(&lock);
}

static struct block *block_for_thread(void)
{
    struct block *block = NULL;
    pthread_mutex_lock(&lock);
    if (ended_count)
        block = ended[--ended_count];
    pthread_mutex_unlock(&lock);
    if (!block)
        block = record_block();
    pthread_mutex_lock(&lock);
    if (block && __atomic_load_n(&record->rank.blocks, __ATOMIC_ACQUIRE) > 1)
        sampling_stop_all_messages(
            UNSAMPLED_THREADS); /* whose numbers are exact for one thread only */
    pthread_mutex_unlock(&lock);
    if (block && origin)
        phases_start(block, origin, record->rank.seconds_per_tick);
    if (block)
        __atomic_fetch_add(&record->rank.threads_called, 1, __ATOMIC_RELAXED);
    return block;
}

/* Reached when `current` is NULL: inside another call, before or after the measurement, or a
 * thread's first call. A thread whose first call comes from the library's own file is the library's
 * progress thread. */
struct block *call_begin_slow(const void *caller)
{
    if (own_block || ignored)
        return own_block && counters_enter(own_block) ? own_block : NULL;
    library_find();
    if (__atomic_load_n(&counting_phase, __ATOMIC_ACQUIRE) != PHASE_COUNTING || !record)
        return NULL;
    if (library_holds((const void *)(uintptr_t)caller_address(caller)) &&
        !library_holds_fortran()) {
        ignored = 1;
        return NULL;
    }
    own_block = block_for_thread();
    ignored = !own_block;
    if (own_block)
        pthread_setspecific(thread_end, own_block);
    return own_block;
}

/* A forked child has no record, and the library does not promise that it may call MPI. */
static void forked(void)
{
    counting_phase = PHASE_OVER;
    current = own_block = NULL;
}

void threads_start(void)
{
    pthread_key_create(&thread_end, thread_ended);
    pthread_atfork(NULL, NULL, forked);
}

void threads_add_own(void)
{
    if (!own_block)
        own_block = block_for_thread();
}

void threads_start_slices(void)
{
    if (!origin)
        origin = clock_ticks();
    phases_start(own_block, origin, record->rank.seconds_per_tick);
}
