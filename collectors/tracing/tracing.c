/* The ring: what is written of calls, messages and collective operations; and when that begins and
 * ends. */
#define _GNU_SOURCE
#include "tracing.h"
#include "callers.h"
#include "clock.h"
#include "counters.h"
#include "events.h"
#include "file.h"
#include "lifecycle.h"
#include "operations.h"
#include "settings.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static struct trace_header *header;
static struct trace_event *ring;
static uint64_t mask, wanted_from, wanted_span; /* ticks */
static unsigned bits;
static int recording;
static struct wish wish;
static uint8_t *known_operations;
static __thread struct {
    const struct block *block;
    uint16_t number;
} own __attribute__((tls_model("initial-exec")));

static uint16_t thread_number(const struct block *block)
{
    if (own.block == block)
        return own.number;
    own.block = block;
    for (own.number = 0; own.number < BLOCK_LIMIT && record->block[own.number] != block;
         own.number++)
        ;
    return own.number;
}

static void append(const struct block *block, struct trace_event event)
{
    const uint64_t place = __atomic_fetch_add(&header->head, 1, __ATOMIC_RELAXED);
    if (header->keep_first && place > mask)
        return;
    event.thread = thread_number(block);
    event.lap = (uint8_t)(1 + (place >> bits) % TRACE_LAPS);
    uint64_t words[4];
    memcpy(words, &event, sizeof words);
    uint64_t *to = (uint64_t *)&ring[place & mask];
    to[0] = words[0];
    to[1] = words[1];
    to[2] = words[2];
    __atomic_store_n(&to[3], words[3], __ATOMIC_RELEASE);
}

static int is_wanted(const struct block *block)
{
    return __atomic_load_n(&recording, __ATOMIC_RELAXED) &&
           block->begin - wanted_from < wanted_span;
}

void trace_define(const void *definition, size_t size)
{
    trace_file_define(header, definition, size);
}

static void define_operation(unsigned operation)
{
    struct operation_definition made = { { DEFINE_OPERATION, (uint16_t)operation, sizeof made },
                                         "" };
    snprintf(made.name, sizeof made.name, "%s", operation_names[operation]);
    if (!__atomic_exchange_n(&known_operations[operation], 1, __ATOMIC_RELAXED))
        trace_define(&made, sizeof made);
}

void trace_part(const struct block *block, struct trace_event part)
{
    if (!is_wanted(block))
        return;
    if (part.operation && !__atomic_load_n(&known_operations[part.operation], __ATOMIC_RELAXED))
        define_operation(part.operation);
    append(block, part);
}

void trace_call(const struct block *block, unsigned operation, const void *caller)
{
    uint64_t site = caller_address(caller);
    if (site - layer_low < layer_size)
        site = caller_above_layer(caller, operation);
    trace_part(block, (struct trace_event){ .begin = block->begin,
                                            .end = block->last,
                                            .site = site,
                                            .operation = (uint16_t)operation,
                                            .kind = EVENT_CALL });
}

void trace_collective(const struct block *block, unsigned operation,
                      struct communicator *communicator, int64_t bytes, int root)
{
    const int32_t who = root >= 0               ? root
                        : root == MPI_ROOT      ? ROOT_SELF
                        : root == MPI_PROC_NULL ? ROOT_THIS_GROUP
                                                : ROOT_NONE;
    const unsigned number = trace_communicator(communicator);
    if (number)
        trace_part(block, (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                                .peer = who,
                                                .communicator = (uint16_t)number,
                                                .operation = (uint16_t)operation,
                                                .kind = EVENT_COLLECTIVE });
}

void trace_send(const struct block *block, struct communicator *communicator, int peer, int tag,
                int64_t bytes)
{
    const unsigned number = peer >= 0 ? trace_communicator(communicator) : 0;
    if (number)
        trace_part(block, (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                                .peer = peer,
                                                .tag = tag,
                                                .communicator = (uint16_t)number,
                                                .kind = EVENT_SEND });
}

static void forked(void)
{
    header = NULL;
    recording = 0;
    trace_communicators_forget();
    trace_file_forget();
}

/* Seconds that an event takes, so that the report says what measuring took. */
static double calibrate(void)
{
    enum { TIMES = 1000 };
    const uint64_t begin = clock_ticks();
    for (int i = 0; i < TIMES; i++)
        append(record->block[0], (struct trace_event){ 0 });
    const double ticks = (double)(clock_ticks() - begin);
    memset(ring, 0, TIMES * sizeof *ring);
    header->head = 0;
    return ticks / TIMES * record->rank.seconds_per_tick;
}

void trace_start(void)
{
    const char *text = setting("ADVISOR_TRACE");
    if (!text || header || !wish_read(text, &wish) || !trace_find_world() ||
        !(known_operations = calloc(operation_count, 1)))
        return;
    struct trace_header *made = trace_file_open(&wish);
    if (!made)
        return;
    ring = trace_file_events(made);
    mask = made->capacity - 1;
    bits = (unsigned)__builtin_ctzll(made->capacity);
    header = made;
    trace_describe_rank(header);
    record->rank.event_cost += calibrate();
    const double tick = record->rank.seconds_per_tick;
    wanted_from = header->init_end + (uint64_t)(wish.from / tick);
    wanted_span = wish.to > 0 ? (uint64_t)((wish.to - wish.from) / tick) : UINT64_MAX;
    wanted_from -= wish.from > 0 || wish.to > 0 ? 0 : wanted_from;
    pthread_atfork(NULL, NULL, forked);
    trace_communicators_begin(header);
    if (!record->rank.sessions_only) {
        trace_communicator(communicator_of(MPI_COMM_WORLD));
        trace_communicator(communicator_of(MPI_COMM_SELF));
    }
    trace_modules();
    counters_told = trace_counters;
    memcpy(header->magic, TRACE_MAGIC, sizeof header->magic);
    recording = !wish.has_region;
}

void trace_region(int level)
{
    if (header && wish.has_region)
        __atomic_store_n(&recording, level == wish.region, __ATOMIC_RELAXED);
}

void trace_level(const struct block *block, int level)
{
    trace_part(block, (struct trace_event){ .tag = level, .kind = EVENT_LEVEL });
}

void trace_stop(void)
{
    __atomic_store_n(&recording, 0, __ATOMIC_RELAXED);
    if (!header)
        return;
    if (record->rank.state == STATE_FINALIZED)
        header->finalize_begin = clock_ticks();
    header->seconds_per_tick = record->rank.seconds_per_tick;
    header->lost_requests = trace_lost_requests();
    trace_modules();
}

void trace_clock(const struct clock_map *map)
{
    if (!header)
        return;
    header->map_rate = map->rate;
    header->map_shift = map->shift;
    header->map_error = map->error;
    header->map_first = map->first;
    header->has_map = map->rate > 0;
}

void trace_end(void)
{
    if (!header || header->finalize_end)
        return;
    header->finalize_end = clock_ticks();
    if (!record->rank.restricted)
        trace_file_close(header, header->rank);
}
