/* One-sided calls. */
#include "tracing.h"
#include "map.h"

static struct map numbers = MAP_START; /* window → its number */

static unsigned number_of(MPI_Win window)
{
    return (unsigned)(uintptr_t)map_find(&numbers, (uintptr_t)window);
}

static void write_down(const struct block *block, unsigned kind, unsigned number, int target,
                       int64_t bytes, int tag)
{
    if (number)
        trace_part(block, (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                                .peer = target,
                                                .tag = tag,
                                                .communicator = (uint16_t)number,
                                                .kind = (uint8_t)kind });
}

void trace_window(const struct block *block, MPI_Win window, MPI_Comm handle)
{
    const unsigned number = trace_number_window(communicator_of(handle));
    if (number && map_insert(&numbers, (uintptr_t)window, (void *)(uintptr_t)number))
        write_down(block, EVENT_WINDOW, number, 0, 0, 0);
}

static uint16_t groups[2][1 << 16]; /* [exposed][window]: number of the group that it meets */

void trace_meet(const struct block *block, MPI_Win window, MPI_Group group, int exposes)
{
    const unsigned number = number_of(window);
    groups[exposes][number] = (uint16_t)trace_group(group, 0, NULL);
    trace_met(block, window, exposes);
}

void trace_met(const struct block *block, MPI_Win window, int exposed)
{
    const unsigned number = number_of(window);
    if (groups[exposed][number])
        write_down(block, EVENT_MEET, number, 0, 0, groups[exposed][number]);
}

unsigned trace_window_gone(MPI_Win window)
{
    return (unsigned)(uintptr_t)map_remove(&numbers, (uintptr_t)window);
}

void trace_window_freed(const struct block *block, unsigned number)
{
    write_down(block, EVENT_WINDOW_FREED, number, 0, 0, 0);
}

void trace_start_remote(const struct block *block, unsigned kind, MPI_Win window, int target,
                        int64_t bytes, MPI_Request request)
{
    const unsigned number = target >= 0 ? number_of(window) : 0;
    if (number)
        trace_request(block,
                      (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                            .peer = target,
                                            .communicator = (uint16_t)number,
                                            .kind = (uint8_t)kind },
                      request);
}

void trace_all_targets(const struct block *block, unsigned kind, MPI_Win window, int here_only)
{
    write_down(block, kind, number_of(window), -1, 0, here_only);
}

void trace_remote(const struct block *block, unsigned kind, MPI_Win window, int target,
                  int64_t bytes, int shared)
{
    if (target >= 0)
        write_down(block, kind, number_of(window), target, bytes, shared);
}
