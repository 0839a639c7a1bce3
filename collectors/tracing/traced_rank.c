/* What a trace says of its rank: who it is, and how its ticks become times. */
#define _GNU_SOURCE
#include "tracing.h"
#include "clock.h"
#include <errno.h>
#include <stdio.h>

static uint64_t ticks_at(double time)
{
    return record->rank.origin_ticks -
           (uint64_t)(int64_t)((record->rank.origin_time - time) / record->rank.seconds_per_tick);
}

void trace_describe_rank(struct trace_header *header)
{
    const struct rank_record *rank = &record->rank;
    header->rank = rank->rank;
    header->ranks = rank->ranks;
    header->seconds_per_tick = rank->seconds_per_tick;
    header->origin_time = rank->origin_time;
    header->origin_ticks = rank->origin_ticks;
    header->init_begin = rank->sessions_only ? 0 : ticks_at(rank->init_begin);
    header->init_end = clock_ticks();
    header->threads_asked = rank->thread_requested;
    snprintf(header->node, sizeof header->node, "%s", rank->node_name);
    snprintf(header->program, sizeof header->program, "%s", program_invocation_short_name);
    snprintf(header->library, sizeof header->library, "%.255s", rank->library);
}
