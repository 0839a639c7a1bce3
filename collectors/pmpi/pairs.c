/* What two ranks kept of the messages between them goes straight from each to the other: on its way up and down a tree the lists of all ranks
 * would get as long as there are ranks. Nobody knows who has something for him: a barrier that does not block ends when nothing is on its way any
 * more (Hoefler, Siebert, Lumsdaine, Scalable communication protocols for dynamic sparse data exchange, 2010, algorithm NBX). */
#define _GNU_SOURCE
#include "pairs.h"
#include "lifecycle.h"
#include <stdlib.h>
#include <string.h>

enum { TAG_PAIRS = 6 };

static int by_peer(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    return (a->peer > b->peer) - (a->peer < b->peer);
}

struct sent { struct met *rows; MPI_Request *requests; int count; };

/* Synchronous: they are over when the other has them. */
static struct sent send_all(struct pair *pairs, size_t count)
{
    struct sent sent = { malloc((count + 1) * sizeof *sent.rows), malloc((count + 1) * sizeof *sent.requests), 0 };
    if (!sent.rows || !sent.requests)
        return sent;
    if (count)
        qsort(pairs, count, sizeof *pairs, by_peer);
    for (size_t i = 0; i < count; i++)
        sent.rows[i] = pairs[i].met;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && pairs[to].peer == pairs[from].peer;)
            to++;
        if (real.Issend(&sent.rows[from], (int)((to - from) * sizeof *sent.rows), MPI_BYTE, pairs[from].peer, TAG_PAIRS, job.comm, &sent.requests[sent.count]) == MPI_SUCCESS)
            sent.count++;
    }
    return sent;
}

static int are_over(struct sent *sent)
{
    for (int over = 1; sent->count > 0 && over; sent->count -= over)
        if (real.Test(&sent->requests[sent->count - 1], &over, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            over = 1;
    return sent->count == 0;
}

/* What has no room is taken all the same, cut off: its sender waits for that. */
static void take(const MPI_Status *status, struct met_list *got)
{
    int size = 0;
    real.Get_count(status, MPI_BYTE, &size);
    const size_t rows = (size_t)(size > 0 ? size : 0) / sizeof *got->rows;
    struct met *larger = realloc(got->rows, (got->count + rows + 1) * sizeof *larger);
    if (larger)
        got->rows = larger;
    const size_t room = larger ? rows : 0;
    if (real.Recv(larger ? larger + got->count : NULL, (int)(room * sizeof *larger), MPI_BYTE, status->MPI_SOURCE, TAG_PAIRS, job.comm, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        got->count += room;
}

struct met_list pairs_exchange(struct pair *pairs, size_t count)
{
    struct met_list got = { NULL, 0, 0 };
    struct sent sent = send_all(pairs, count);
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Status status;
    for (int turn = 0, over = 0, here = 0, all = 0; !over; turn = here ? 0 : turn + 1) {
        if (!here)
            job_pause(turn);
        if (real.Iprobe(MPI_ANY_SOURCE, TAG_PAIRS, job.comm, &here, &status) != MPI_SUCCESS)
            break;
        if (here)
            take(&status, &got);
        else if (all)
            over = real.Test(&barrier, &over, MPI_STATUS_IGNORE) != MPI_SUCCESS || over;
        else if ((all = are_over(&sent)) && real.Ibarrier(job.comm, &barrier) != MPI_SUCCESS)
            break;
    }
    free(sent.rows);
    free(sent.requests);
    return got;
}
