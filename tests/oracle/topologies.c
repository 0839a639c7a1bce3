/* Cartesian, graph and distributed graph topologies. */
#include "oracle.h"

static void cartesian(void)
{
    int dims[2] = { 0, 0 }, periods[2] = { 1, 0 }, coords[2], where, kind, count, source, target,
        keep[2] = { 1, 0 };
    MPI_Comm grid, row;
    PLAIN(Dims_create, 1, size, 2, dims);
    PLAIN(Cart_map, 2, MPI_COMM_WORLD, 2, dims, periods, &where);
    PLAIN(Cart_create, 1, MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    PLAIN(Cartdim_get, 3, grid, &count);
    PLAIN(Cart_get, 5, grid, 2, dims, periods, coords);
    PLAIN(Cart_coords, 2, grid, rank, 2, coords);
    PLAIN(Cart_rank, 3, grid, coords, &where);
    VERIFY(where == rank && count == 2);
    PLAIN(Cart_shift, 5, grid, 0, 1, &source, &target);
    PLAIN(Topo_test, 2, grid, &kind);
    VERIFY(kind == MPI_CART);
    PLAIN(Cart_sub, 1, grid, keep, &row);
    PLAIN(Comm_free, 1, &row);
    PLAIN(Comm_free, 1, &grid);
}

/* A ring as a graph. */
static void graph(void)
{
    int index[16], edges[32], nodes, arcs, count, near[2], where;
    MPI_Comm comm;
    for (int at = 0; at < size; at++) {
        index[at] = 2 * (at + 1);
        edges[2 * at] = (at + size - 1) % size;
        edges[2 * at + 1] = (at + 1) % size;
    }
    PLAIN(Graph_map, 2, MPI_COMM_WORLD, size, index, edges, &where);
    PLAIN(Graph_create, 1, MPI_COMM_WORLD, size, index, edges, 0, &comm);
    PLAIN(Graphdims_get, 3, comm, &nodes, &arcs);
    VERIFY(nodes == size && arcs == 2 * size);
    PLAIN(Graph_get, 2, comm, size, 2 * size, index, edges);
    PLAIN(Graph_neighbors_count, 5, comm, rank, &count);
    PLAIN(Graph_neighbors, 3, comm, rank, 2, near);
    PLAIN(Comm_free, 1, &comm);
}

static void distributed(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size, one = 1, in, out, weighted,
        from[1], to[1];
    MPI_Comm comm;
    PLAIN(Dist_graph_create, 1, MPI_COMM_WORLD, 1, &rank, &one, &next, MPI_UNWEIGHTED,
          MPI_INFO_NULL, 0, &comm);
    PLAIN(Dist_graph_neighbors_count, 3, comm, &in, &out, &weighted);
    VERIFY(in == 1 && out == 1);
    PLAIN(Dist_graph_neighbors, 2, comm, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED);
    VERIFY(from[0] == before && to[0] == next);
    PLAIN(Comm_free, 1, &comm);
    PLAIN(Dist_graph_create_adjacent, 1, MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    PLAIN(Comm_free, 1, &comm);
}

void topologies(void)
{
    cartesian();
    graph();
    distributed();
}
