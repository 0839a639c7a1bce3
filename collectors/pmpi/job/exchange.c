/* Each one's rows straight to the other end: on their way up and down a tree the lists of all ranks
 * would get as long as there are ranks. Nobody knows who has something for him: a barrier that does
 * not block ends when nothing is on its way any more (Hoefler, Siebert, Lumsdaine, Scalable
 * communication protocols for dynamic sparse data exchange, 2010, algorithm NBX). */
#define _GNU_SOURCE
#include "exchange.h"
#include "job.h"
#include <stdlib.h>
#include <string.h>

static int peer_of(const void *row)
{
    int peer;
    memcpy(&peer, row, sizeof peer);
    return peer;
}

static int by_peer(const void *left, const void *right)
{
    return (peer_of(left) > peer_of(right)) - (peer_of(left) < peer_of(right));
}

static int in_order(const char *rows, size_t count, size_t size)
{
    size_t i = 1;
    while (i < count && peer_of(rows + (i - 1) * size) <= peer_of(rows + i * size))
        i++;
    return i >= count;
}

struct sent {
    MPI_Request *requests;
    int count;
};

/* Synchronous: they are over when the other has them. */
static struct sent send_all(char *rows, size_t count, size_t size, int tag)
{
    struct sent sent = { malloc((count + 1) * sizeof *sent.requests), 0 };
    if (!sent.requests || !count)
        return sent;
    if (!in_order(rows, count, size))
        qsort(rows, count, size, by_peer);
    for (size_t from = 0, to; from < count; from = to) {
        const int peer = peer_of(rows + from * size);
        for (to = from; to < count && peer_of(rows + to * size) == peer;)
            to++;
        if (real.Issend(rows + from * size, (int)((to - from) * size), MPI_BYTE, peer, tag,
                        job.comm, &sent.requests[sent.count]) == MPI_SUCCESS)
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
static void take(const MPI_Status *status, struct came *came, size_t size)
{
    int bytes = 0, from = status->MPI_SOURCE;
    real.Get_count(status, MPI_BYTE, &bytes);
    const size_t rows = (size_t)(bytes > 0 ? bytes : 0) / size;
    char *larger = realloc(came->rows, (came->count + rows + 1) * size),
         *first = larger ? larger + came->count * size : NULL;
    if (larger)
        came->rows = larger;
    const size_t room = larger ? rows : 0;
    if (job_recv(first, room * size, from, status->MPI_TAG) != MPI_SUCCESS)
        return;
    came->count += room;
    for (size_t i = 0; i < room; i++)
        memcpy(first + i * size, &from, sizeof from);
}

struct came exchange(void *rows, size_t count, size_t size, int tag)
{
    struct came came = { NULL, 0 };
    struct sent sent = send_all(rows, count, size, tag);
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Status status;
    for (int turn = 0, over = 0, here = 0, all = 0; !over; turn = here ? 0 : turn + 1) {
        if (!here)
            job_pause(turn);
        if (real.Iprobe(MPI_ANY_SOURCE, tag, job.comm, &here, &status) != MPI_SUCCESS)
            break;
        if (here)
            take(&status, &came, size);
        else if (all)
            over = real.Test(&barrier, &over, MPI_STATUS_IGNORE) != MPI_SUCCESS || over;
        else if ((all = are_over(&sent)) && real.Ibarrier(job.comm, &barrier) != MPI_SUCCESS)
            break;
    }
    free(sent.requests);
    return came;
}
