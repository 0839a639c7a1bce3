/* What all workers and processes found, put together; and the critical path, which goes through all
 * of them. */
#include "crew.h"
#include "group.h"
#include <stdlib.h>

static void add(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

static size_t caused_size(const struct crew *crew)
{
    return (size_t)crew->definitions.ranks * CLASSES;
}
static size_t slices_size(const struct crew *crew)
{
    return (size_t)crew->slicing.groups * SLICES * sizeof(struct slice) / sizeof(uint64_t);
}

static uint32_t first_of(const struct crew *crew, unsigned process)
{
    return (uint32_t)(((uint64_t)process * crew->definitions.ranks + crew->processes - 1) /
                      crew->processes);
}

/* ---- the critical path */

static unsigned home_of(const struct crew *crew, int32_t rank)
{
    return (unsigned)((uint64_t)rank * crew->processes / crew->definitions.ranks);
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
static uint64_t find_ends(const struct crew *crew, struct path_place *end)
{
    uint64_t begin = UINT64_MAX, last = 0, who = UINT64_MAX;
    for (uint32_t i = 0; i < crew->definitions.ranks; i++)
        if (crew->mains[i] && crew->mains[i]->seen) {
            begin = begin_of(&crew->ranks[i]) < begin ? begin_of(&crew->ranks[i]) : begin;
            last = end_of(&crew->ranks[i]) > last ? end_of(&crew->ranks[i]) : last;
        }
    begin = group_least(begin);
    last = UINT64_MAX - group_least(UINT64_MAX - last);
    for (uint32_t i = crew->definitions.ranks; i-- > 0;)
        if (crew->mains[i] && crew->mains[i]->seen && end_of(&crew->ranks[i]) == last)
            who = i;
    who = group_least(who);
    *end = (struct path_place){ who == UINT64_MAX ? NONE : (int32_t)who, last, 0 };
    return begin;
}

/* It is handed on from process to process; NONE: it has come to the begin. */
static void walk(struct crew *crew)
{
    struct path_place at;
    const uint64_t begin = find_ends(crew, &at);
    if (at.rank == NONE)
        return;
    while (at.rank != NONE) {
        if (home_of(crew, at.rank) == crew->place) {
            path_walk(&crew->path, crew->mains, begin, &at);
            at.rank = at.time <= begin ? NONE : at.rank;
            for (unsigned i = 0; i < crew->processes; i++)
                if (i != crew->place && (at.rank == NONE || i == home_of(crew, at.rank)))
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
    rank->rows = room_for(NULL, rank->row_count, sizeof *rank->rows);
    group_receive(rank->rows, rank->row_count * sizeof *rank->rows, from);
    rank->peers = room_for(NULL, rank->peer_room, sizeof *rank->peers);
    group_receive(rank->peers, rank->peer_room * sizeof *rank->peers, from);
    rank->marked = room_for(NULL, rank->marked_count, sizeof *rank->marked);
    group_receive(rank->marked, rank->marked_count * sizeof *rank->marked, from);
    rank->metered = rank->metered ? room_for(NULL, metrics, sizeof *rank->metered) : NULL;
    if (rank->metered)
        group_receive(rank->metered, metrics * sizeof *rank->metered, from);
}

static void send_all(const struct crew *crew)
{
    const struct worker *worker = &crew->worker[crew->place];
    for (uint32_t i = first_of(crew, crew->place); i < first_of(crew, crew->place + 1); i++)
        send_rank(&crew->ranks[i], crew->definitions.metric_count);
    group_send(worker->caused, caused_size(crew) * sizeof(uint64_t), 0);
    group_send(worker->slices, slices_size(crew) * sizeof(uint64_t), 0);
    group_send(&crew->path, sizeof crew->path, 0);
    group_send(crew->path.rows, crew->path.room * sizeof *crew->path.rows, 0);
}

static void receive_path(struct crew *crew, unsigned from)
{
    struct path path;
    group_receive(&path, sizeof path, from);
    path.rows = room_for(NULL, path.room, sizeof *path.rows);
    group_receive(path.rows, path.room * sizeof *path.rows, from);
    for (size_t i = 0; i < path.room; i++)
        if (path.rows[i].ticks)
            path_add(&crew->path, path.rows[i]);
    crew->path.is_lost |= path.is_lost;
    free(path.rows);
}

static void receive_all(struct crew *crew, unsigned from)
{
    struct worker *worker = &crew->worker[0];
    uint64_t *room = room_for(NULL, caused_size(crew) + slices_size(crew), sizeof *room);
    for (uint32_t i = first_of(crew, from); i < first_of(crew, from + 1); i++)
        receive_rank(&crew->ranks[i], crew->definitions.metric_count, from);
    group_receive(room, caused_size(crew) * sizeof *room, from);
    add(worker->caused, room, caused_size(crew));
    group_receive(room, slices_size(crew) * sizeof *room, from);
    add((uint64_t *)worker->slices, room, slices_size(crew));
    free(room);
    receive_path(crew, from);
}

void crew_collect(struct crew *crew)
{
    walk(crew);
    if (crew->place) {
        send_all(crew);
        return;
    }
    for (unsigned i = 1; i < crew->processes; i++)
        receive_all(crew, i);
    for (unsigned i = 1; i < crew->threads; i++) {
        add(crew->worker[0].caused, crew->worker[i].caused, caused_size(crew));
        add((uint64_t *)crew->worker[0].slices, (uint64_t *)crew->worker[i].slices,
            slices_size(crew));
    }
    for (size_t k = 0; k < caused_size(crew); k++)
        crew->ranks[k / CLASSES].late[k % CLASSES].caused += crew->worker[0].caused[k];
}
