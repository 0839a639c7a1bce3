/* Neighbourhood calls: whom they receive from. */
#include "tracing.h"
#include <stdlib.h>

enum { UNASKED = 0, UNKNOWN = UINT16_MAX };
static uint16_t
    sources[1 << 16]; /* by communicator: number of the group of those that it receives from */

static int cart_sources(MPI_Comm handle, int *ranks, int most)
{
    int dimensions = 0, count = 0;
    if (real.Cartdim_get(handle, &dimensions) != MPI_SUCCESS)
        return -1;
    for (int i = 0; i < dimensions; i++) {
        int both[2];
        if (real.Cart_shift(handle, i, 1, &both[0], &both[1]) != MPI_SUCCESS)
            return -1;
        for (int k = 0; k < 2; k++)
            if (both[k] >= 0 && count < most)
                ranks[count++] = both[k];
    }
    return count;
}

static int graph_sources(MPI_Comm handle, int own, int *ranks, int most)
{
    int count = 0;
    return real.Graph_neighbors_count(handle, own, &count) == MPI_SUCCESS && count <= most &&
                   real.Graph_neighbors(handle, own, most, ranks) == MPI_SUCCESS
               ? count
               : -1;
}

static int distributed_sources(MPI_Comm handle, int *ranks, int most)
{
    int in = 0, out = 0, weighted = 0;
    if (real.Dist_graph_neighbors_count(handle, &in, &out, &weighted) != MPI_SUCCESS || in > most)
        return -1;
    int *rest = calloc((size_t)in + 2 * (size_t)out + 1, sizeof *rest);
    const int good = rest && real.Dist_graph_neighbors(handle, in, ranks, rest, out, rest + in,
                                                       rest + in + out) == MPI_SUCCESS;
    free(rest);
    return good ? in : -1;
}

static unsigned find_sources(struct communicator *communicator)
{
    const int most = 2 * communicator->size +
                     64; /* in a periodic dimension of one or two, neighbours come twice */
    int *ranks = calloc((size_t)most, sizeof *ranks), topology = MPI_UNDEFINED, count = -1;
    unsigned number = 0;
    if (ranks && !communicator->inter &&
        real.Topo_test(communicator->handle, &topology) == MPI_SUCCESS)
        count = topology == MPI_CART ? cart_sources(communicator->handle, ranks, most)
                : topology == MPI_GRAPH
                    ? graph_sources(communicator->handle, communicator->rank, ranks, most)
                : topology == MPI_DIST_GRAPH
                    ? distributed_sources(communicator->handle, ranks, most)
                    : -1;
    if (count >= 0)
        number = trace_group(communicator_group(communicator), count, ranks);
    free(ranks);
    return number;
}

/* Its communicator is 0 if it is not known who they are. */
static struct trace_event of_neighbours(unsigned kind, unsigned operation,
                                        struct communicator *communicator, int64_t bytes)
{
    const unsigned number = trace_communicator(communicator);
    if (number && sources[number] == UNASKED) {
        const unsigned found = find_sources(communicator);
        sources[number] = found ? (uint16_t)found : UNKNOWN;
    }
    return (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                 .tag = sources[number],
                                 .operation = (uint16_t)operation,
                                 .communicator =
                                     (uint16_t)(sources[number] == UNKNOWN ? 0 : number),
                                 .kind = (uint8_t)kind };
}

void trace_neighbours(const struct block *block, struct communicator *communicator, int64_t bytes)
{
    const struct trace_event event = of_neighbours(EVENT_NEIGHBOURS, 0, communicator, bytes);
    if (event.communicator)
        trace_part(block, event);
}

void trace_start_neighbours(const struct block *block, unsigned operation,
                            struct communicator *communicator, int64_t bytes, MPI_Request request)
{
    const struct trace_event event =
        of_neighbours(EVENT_START_NEIGHBOURS, operation, communicator, bytes);
    if (event.communicator)
        trace_request(block, event, request);
}

void trace_persistent_neighbours(unsigned operation, struct communicator *communicator,
                                 int64_t bytes, MPI_Request request)
{
    struct trace_event event =
        of_neighbours(EVENT_START_NEIGHBOURS, operation, communicator, bytes);
    event.peer = (int32_t)communicator->persistents;
    trace_persistent(event, request);
}
