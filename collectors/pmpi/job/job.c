#define _GNU_SOURCE
#include "job.h"
#include <sched.h>
#include <stdlib.h>
#include <time.h>

struct job job;

enum { TAG_SIZE = 1, TAG_PILE = 2, PIECE = 1 << 30 };
/* Looks at a request: so many before others are let onto the core, and so many before this rank
 * sleeps; or before it sleeps where ranks outnumber cores. */
enum { AT_ONCE = 200, SOON = 4000, CROWDED = 20 };

/* One rank may still write its results while the others are in MPI_Finalize, where libraries sleep:
 * so do we, after a moment in which an answer that is on its way would have come. Where ranks
 * outnumber cores nobody is let onto the core by sched_yield: it comes back when each of those that
 * poll in the library has used up its time, but a rank that wakes up comes before them. */
void job_pause(int turn)
{
    enum { SHORTEST = 20000, LONGEST = 1000000, DOUBLED_IN = 3 };
    const int awake = job.crowded ? CROWDED : SOON;
    if (turn < awake) {
        if (turn >= AT_ONCE)
            sched_yield();
        return;
    }
    const int doublings = (turn - awake) / DOUBLED_IN;
    nanosleep(&(struct timespec){ 0, doublings < 6 ? (long)SHORTEST << doublings : LONGEST }, NULL);
}

static void pause_awake(int turn)
{
    job_pause(turn < SOON || job.crowded ? turn : SOON - 1);
}

static int finish_by(MPI_Request *request, void pause(int turn))
{
    int done = 0, status;
    for (int turn = 0;
         (status = real.Test(request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done; turn++)
        pause(turn);
    return status;
}

static int finish(MPI_Request *request)
{
    return finish_by(request, job_pause);
}

int job_open(void)
{
    MPI_Request request;
    if (!real.Comm_idup)
        return real.Comm_dup(MPI_COMM_WORLD, &job.comm);
    int status = real.Comm_idup(MPI_COMM_WORLD, &job.comm, &request);
    return status == MPI_SUCCESS ? finish(&request) : status;
}

int job_send(const void *bytes, size_t size, int to, int tag)
{
    MPI_Request request;
    int status = real.Isend(bytes, (int)size, MPI_BYTE, to, tag, job.comm, &request);
    return status == MPI_SUCCESS ? finish(&request) : status;
}

int job_recv(void *bytes, size_t size, int from, int tag)
{
    MPI_Request request;
    int status = real.Irecv(bytes, (int)size, MPI_BYTE, from, tag, job.comm, &request);
    return status == MPI_SUCCESS ? finish(&request) : status;
}

void job_send_bytes(const void *bytes, size_t size, int to)
{
    uint64_t length = size;
    job_send(&length, 8, to, TAG_SIZE);
    for (size_t at = 0; at < size; at += PIECE)
        job_send((const char *)bytes + at, size - at < PIECE ? size - at : PIECE, to, TAG_PILE);
}

int job_recv_size(uint64_t *size, int from)
{
    return job_recv(size, 8, from, TAG_SIZE) == MPI_SUCCESS;
}

int job_recv_pieces(char *bytes, size_t size, int from)
{
    int status = MPI_SUCCESS;
    for (size_t at = 0; status == MPI_SUCCESS && at < size; at += PIECE)
        status = job_recv(bytes + at, size - at < PIECE ? size - at : PIECE, from, TAG_PILE);
    return status == MPI_SUCCESS;
}

char *job_recv_bytes(int from, size_t *size)
{
    uint64_t length = 0;
    if (!job_recv_size(&length, from))
        return NULL;
    char *bytes = malloc(length ? length : 1);
    if (bytes)
        job_recv_pieces(bytes, length, from);
    *size = length;
    return bytes;
}

int job_bcast(void *value, int size)
{
    MPI_Request request;
    if (!real.Ibcast)
        return real.Bcast(value, size, MPI_BYTE, 0, job.comm);
    int status = real.Ibcast(value, size, MPI_BYTE, 0, job.comm, &request);
    return status == MPI_SUCCESS ? finish(&request) : status;
}

int job_allgather(const void *own, void *all, int size)
{
    MPI_Request request;
    if (!real.Iallgather)
        return real.Allgather(own, size, MPI_BYTE, all, size, MPI_BYTE, job.comm);
    int status = real.Iallgather(own, size, MPI_BYTE, all, size, MPI_BYTE, job.comm, &request);
    return status == MPI_SUCCESS ? finish(&request) : status;
}

int job_allreduce_min(const void *own, void *least, int count, MPI_Datatype type)
{
    MPI_Request request;
    if (!real.Iallreduce || !real.Ibarrier)
        return MPI_ERR_OTHER;
    int status = real.Iallreduce(own, least, count, type, MPI_MIN, job.comm, &request);
    return status == MPI_SUCCESS ? finish(&request) : status;
}

/* The same call as when the job started, so that the library has its ways to these ranks open. */
int job_all(int own)
{
    int all = 0, status = MPI_SUCCESS;
    MPI_Request request;
    if (job.size == 1)
        return own;
    if (!real.Iallreduce)
        return real.Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, job.comm) == MPI_SUCCESS && all;
    status = real.Iallreduce(&own, &all, 1, MPI_INT, MPI_MIN, job.comm, &request);
    if (status == MPI_SUCCESS)
        status = own ? finish(&request) : real.Wait(&request, MPI_STATUS_IGNORE);
    return status == MPI_SUCCESS && all;
}

void job_barrier(void)
{
    MPI_Request request;
    if (!real.Ibarrier)
        real.Barrier(job.comm);
    else if (real.Ibarrier(job.comm, &request) == MPI_SUCCESS)
        finish_by(&request, pause_awake);
}
