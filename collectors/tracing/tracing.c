/* When tracing begins and ends. */
#define _GNU_SOURCE
#include "tracing.h"
#include "clock.h"
#include "counters.h"
#include "file.h"
#include "ring.h"
#include "settings.h"
#include <pthread.h>
#include <string.h>

static struct trace_header *header;
static struct wish wish;

static void forked(void)
{
    header = NULL;
    ring_forget();
    trace_communicators_forget();
    trace_file_forget();
}

void trace_start(void)
{
    const char *text = setting("ADVISOR_TRACE");
    if (!text || header || !wish_read(text, &wish) || !trace_find_world() || !ring_prepare())
        return;
    struct trace_header *made = trace_file_open(&wish);
    if (!made)
        return;
    ring_open(made);
    header = made;
    trace_describe_rank(header);
    record->rank.event_overhead += ring_calibrate();
    ring_keep(wish.from, wish.to);
    pthread_atfork(NULL, NULL, forked);
    trace_communicators_begin(header);
    if (!record->rank.sessions_only) {
        trace_communicator(communicator_of(MPI_COMM_WORLD));
        trace_communicator(communicator_of(MPI_COMM_SELF));
    }
    trace_modules();
    counters_told = trace_counters;
    memcpy(header->magic, TRACE_MAGIC, sizeof header->magic);
    ring_record(!wish.has_region);
}

void trace_region(int level)
{
    if (header && wish.has_region)
        ring_record(level == wish.region);
}

void trace_level(const struct block *block, int level)
{
    trace_part(block, (struct trace_event){ .tag = level, .kind = EVENT_LEVEL });
}

void trace_stop(void)
{
    ring_record(0);
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
