/* The ring of events, to which each thread appends without a lock. */
#define _GNU_SOURCE
#include "ring.h"
#include "tracing.h"
#include "callers.h"
#include "clock.h"
#include "events.h"
#include "file.h"
#include "operations.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trace_header *header;
static struct trace_event *ring;
static uint64_t mask, wanted_from, wanted_span; /* ticks */
static unsigned bits;
static int recording;
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

double ring_calibrate(void)
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

int ring_prepare(void)
{
    return (known_operations = calloc(operation_count, 1)) != NULL;
}

void ring_open(struct trace_header *made)
{
    ring = trace_file_events(made);
    mask = made->capacity - 1;
    bits = (unsigned)__builtin_ctzll(made->capacity);
    header = made;
}

void ring_keep(double from, double to)
{
    const double tick = record->rank.seconds_per_tick;
    wanted_from = header->init_end + (uint64_t)(from / tick);
    wanted_span = to > 0 ? (uint64_t)((to - from) / tick) : UINT64_MAX;
    wanted_from -= from > 0 || to > 0 ? 0 : wanted_from;
}

void ring_record(int on)
{
    __atomic_store_n(&recording, on, __ATOMIC_RELAXED);
}

void ring_forget(void)
{
    header = NULL;
    recording = 0;
}
