/* The neighbours of a rank in its communicator's topology, with which a neighbourhood operation
 * exchanges data. Queried locally, once. */
#include "communicators.h"
#include <stdlib.h>

struct listed {
    int in, out, ranks[2 * MOST_NEIGHBOURS];
};

static int cartesian(MPI_Comm handle, struct listed *all)
{
    int dimensions = 0;
    if (real.Cartdim_get(handle, &dimensions) != MPI_SUCCESS || 2 * dimensions > MOST_NEIGHBOURS)
        return 0;
    all->in = all->out = 2 * dimensions;
    for (int i = 0; i < dimensions; i++)
        if (real.Cart_shift(handle, i, 1, &all->ranks[2 * i], &all->ranks[2 * i + 1]) !=
            MPI_SUCCESS)
            return 0;
    for (int i = 0; i < all->out; i++)
        all->ranks[all->in + i] = all->ranks[i];
    return 1;
}

static int graph(MPI_Comm handle, int rank, struct listed *all)
{
    int count = 0;
    if (real.Graph_neighbors_count(handle, rank, &count) != MPI_SUCCESS ||
        count > MOST_NEIGHBOURS ||
        real.Graph_neighbors(handle, rank, count, all->ranks) != MPI_SUCCESS)
        return 0;
    all->in = all->out = count;
    for (int i = 0; i < count; i++)
        all->ranks[count + i] = all->ranks[i];
    return 1;
}

static int distributed(MPI_Comm handle, struct listed *all)
{
    int weighted, weights[2 * MOST_NEIGHBOURS];
    return real.Dist_graph_neighbors_count &&
           real.Dist_graph_neighbors_count(handle, &all->in, &all->out, &weighted) == MPI_SUCCESS &&
           all->in <= MOST_NEIGHBOURS && all->out <= MOST_NEIGHBOURS &&
           real.Dist_graph_neighbors(handle, all->in, all->ranks, weights, all->out,
                                     all->ranks + all->in,
                                     weights + MOST_NEIGHBOURS) == MPI_SUCCESS;
}

/* Each once, without this rank and without MPI_PROC_NULL. Returns how many; -1: no room. */
static int add_distinct(const int *ranks, int count, int own, int *kept, int room)
{
    int number = 0;
    for (int i = 0; i < count; i++) {
        int k = 0;
        while (k < number && kept[k] != ranks[i])
            k++;
        if (ranks[i] < 0 || ranks[i] == own || k < number)
            continue;
        if (number == room)
            return -1;
        kept[number++] = ranks[i];
    }
    return number;
}

const struct neighbours *communicator_neighbours(struct communicator *communicator)
{
    struct neighbours *made = communicator->neighbours;
    struct listed all = { 0, 0, { 0 } };
    int topology = MPI_UNDEFINED;
    if (made)
        return made->in < 0 ? NULL : made;
    if (!(made = malloc(sizeof *made)))
        return NULL;
    communicator->neighbours = made;
    real.Topo_test(communicator->handle, &topology);
    int known = topology == MPI_CART ? cartesian(communicator->handle, &all)
                : topology == MPI_GRAPH
                    ? graph(communicator->handle, communicator->rank, &all)
                    : topology == MPI_DIST_GRAPH && distributed(communicator->handle, &all);
    made->in =
        known ? add_distinct(all.ranks, all.in, communicator->rank, made->ranks, MOST_NEIGHBOURS)
              : -1;
    made->out = made->in < 0 ? -1
                             : add_distinct(all.ranks + all.in, all.out, communicator->rank,
                                            made->ranks + made->in, MOST_NEIGHBOURS - made->in);
    if (made->out < 0)
        made->in = -1;
    return made->in < 0 ? NULL : made;
}

static int graph_degree(MPI_Comm handle, int topology)
{
    int in = 0, out = 0, weighted, count = 0;
    if (topology == MPI_DIST_GRAPH &&
        real.Dist_graph_neighbors_count(handle, &in, &out, &weighted) == MPI_SUCCESS)
        return out;
    if (topology == MPI_CART && real.Cartdim_get(handle, &count) == MPI_SUCCESS)
        return 2 * count;
    int rank;
    if (topology == MPI_GRAPH && real.Comm_rank(handle, &rank) == MPI_SUCCESS &&
        real.Graph_neighbors_count(handle, rank, &count) == MPI_SUCCESS)
        return count;
    return 0;
}

int communicator_degree(struct communicator *communicator)
{
    int topology = MPI_UNDEFINED;
    if (communicator->degree >= 0)
        return communicator->degree;
    if (real.Topo_test(communicator->handle, &topology) != MPI_SUCCESS)
        return 0;
    return communicator->degree = graph_degree(communicator->handle, topology);
}
