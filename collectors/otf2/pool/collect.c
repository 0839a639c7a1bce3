/* Combines the results of all workers and processes, and finds the critical path, which crosses all
 * of them. */
#include "pool.h"
#include "group.h"
#include <stdlib.h>

static void add(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

static size_t delay_cost_size(const struct pool *pool)
{
    return (size_t)pool->definitions.ranks * CLASSES;
}
static size_t slices_size(const struct pool *pool)
{
    return (size_t)pool->slicing.groups * SLICES * sizeof(struct slice) / sizeof(uint64_t);
}

static uint32_t first_of(const struct pool *pool, unsigned process)
{
    return (uint32_t)(((uint64_t)process * pool->definitions.ranks + pool->processes - 1) /
                      pool->processes);
}

/* ---- the critical path */

static unsigned home_of(const struct pool *pool, int32_t rank)
{
    return (unsigned)((uint64_t)rank * pool->processes / pool->definitions.ranks);
}

static uint64_t begin_of(const struct rank *rank)
{
    return rank->init_end ? rank->init_end : rank->first;
}
static uint64_t end_of(const struct rank *rank)
{
    return rank->finalize_begin ? rank->finalize_begin : rank->last;
}

/* From the first end of MPI_Init to the last begin of MPI_Finalize. */
static uint64_t find_ends(const struct pool *pool, struct path_place *end)
{
    uint64_t begin = UINT64_MAX, last = 0, who = UINT64_MAX;
    for (uint32_t i = 0; i < pool->definitions.ranks; i++)
        if (pool->mains[i] && pool->mains[i]->seen) {
            begin = begin_of(&pool->ranks[i]) < begin ? begin_of(&pool->ranks[i]) : begin;
            last = end_of(&pool->ranks[i]) > last ? end_of(&pool->ranks[i]) : last;
        }
    begin = group_least(begin);
    last = UINT64_MAX - group_least(UINT64_MAX - last);
    for (uint32_t i = pool->definitions.ranks; i-- > 0;)
        if (pool->mains[i] && pool->mains[i]->seen && end_of(&pool->ranks[i]) == last)
            who = i;
    who = group_least(who);
    *end = (struct path_place){ who == UINT64_MAX ? NONE : (int32_t)who, last, 0 };
    return begin;
}

/* It is handed on from process to process; NONE: it has come to the begin. */
static void walk(struct pool *pool)
{
    struct path_place at;
    const uint64_t begin = find_ends(pool, &at);
    if (at.rank == NONE)
        return;
    while (at.rank != NONE) {
        if (home_of(pool, at.rank) == pool->place) {
            path_walk(&pool->path, pool->mains, begin, &at);
            at.rank = at.time <= begin ? NONE : at.rank;
            for (unsigned i = 0; i < pool->processes; i++)
                if (i != pool->place && (at.rank == NONE || i == home_of(pool, at.rank)))
                    group_hand_on(&at, sizeof at, i);
        } else
            group_take_over(&at, sizeof at);
    }
}

/* ---- to process 0 */

static void send_rank(const struct rank *rank, size_t metrics)
{
    group_send(rank, sizeof *rank, 0);
    group_send(rank->rows, rank->row_count * sizeof *rank->rows, 0);
    group_send(rank->peers, rank->peer_room * sizeof *rank->peers, 0);
    group_send(rank->marked, rank->marked_count * sizeof *rank->marked, 0);
    if (rank->metered)
        group_send(rank->metered, metrics * sizeof *rank->metered, 0);
}

static void receive_rank(struct rank *rank, size_t metrics, unsigned from)
{
    group_receive(rank, sizeof *rank, from);
    rank->rows = xrealloc(NULL, rank->row_count, sizeof *rank->rows);
    group_receive(rank->rows, rank->row_count * sizeof *rank->rows, from);
    rank->peers = xrealloc(NULL, rank->peer_room, sizeof *rank->peers);
    group_receive(rank->peers, rank->peer_room * sizeof *rank->peers, from);
    rank->marked = xrealloc(NULL, rank->marked_count, sizeof *rank->marked);
    group_receive(rank->marked, rank->marked_count * sizeof *rank->marked, from);
    rank->metered = rank->metered ? xrealloc(NULL, metrics, sizeof *rank->metered) : NULL;
    if (rank->metered)
        group_receive(rank->metered, metrics * sizeof *rank->metered, from);
}

static void send_all(const struct pool *pool)
{
    const struct worker *worker = &pool->worker[pool->place];
    for (uint32_t i = first_of(pool, pool->place); i < first_of(pool, pool->place + 1); i++)
        send_rank(&pool->ranks[i], pool->definitions.metric_count);
    group_send(worker->delay_cost, delay_cost_size(pool) * sizeof(uint64_t), 0);
    group_send(worker->slices, slices_size(pool) * sizeof(uint64_t), 0);
    group_send(&pool->path, sizeof pool->path, 0);
    group_send(pool->path.rows, pool->path.room * sizeof *pool->path.rows, 0);
}

static void receive_path(struct pool *pool, unsigned from)
{
    struct path path;
    group_receive(&path, sizeof path, from);
    path.rows = xrealloc(NULL, path.room, sizeof *path.rows);
    group_receive(path.rows, path.room * sizeof *path.rows, from);
    for (size_t i = 0; i < path.room; i++)
        if (path.rows[i].ticks)
            path_add(&pool->path, path.rows[i]);
    pool->path.is_lost |= path.is_lost;
    free(path.rows);
}

static void receive_all(struct pool *pool, unsigned from)
{
    struct worker *worker = &pool->worker[0];
    uint64_t *room = xrealloc(NULL, delay_cost_size(pool) + slices_size(pool), sizeof *room);
    for (uint32_t i = first_of(pool, from); i < first_of(pool, from + 1); i++)
        receive_rank(&pool->ranks[i], pool->definitions.metric_count, from);
    group_receive(room, delay_cost_size(pool) * sizeof *room, from);
    add(worker->delay_cost, room, delay_cost_size(pool));
    group_receive(room, slices_size(pool) * sizeof *room, from);
    add((uint64_t *)worker->slices, room, slices_size(pool));
    free(room);
    receive_path(pool, from);
}

void pool_collect(struct pool *pool)
{
    walk(pool);
    if (pool->place) {
        send_all(pool);
        return;
    }
    for (unsigned i = 1; i < pool->processes; i++)
        receive_all(pool, i);
    for (unsigned i = 1; i < pool->threads; i++) {
        add(pool->worker[0].delay_cost, pool->worker[i].delay_cost, delay_cost_size(pool));
        add((uint64_t *)pool->worker[0].slices, (uint64_t *)pool->worker[i].slices,
            slices_size(pool));
    }
    for (size_t k = 0; k < delay_cost_size(pool); k++)
        pool->ranks[k / CLASSES].late[k % CLASSES].delay_cost += pool->worker[0].delay_cost[k];
}
