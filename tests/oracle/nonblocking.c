/* Non-blocking point-to-point in every mode, completed in every way. */
#include "oracle.h"

enum { DEPTH = 7, LENGTH = 6 };
static int out[LENGTH], in[DEPTH][LENGTH];

static void post_receives(int peer, int tag, int many, MPI_Request *request)
{
    for (int at = 0; at < many; at++)
        LARGE_PLAIN(Irecv, 1, in[at], LENGTH, MPI_INT, peer, tag, MPI_COMM_WORLD, &request[at]);
}

/* The even rank sends in mode after mode; the odd one receives. */
static void modes(int peer)
{
    MPI_Request request[DEPTH];
    if (rank % 2 == 0) {
        PLAIN(Barrier, 1, MPI_COMM_WORLD);
        for (int at = 0; at < 3; at++)
            LARGE_CALL(Isend, 1, 6 * sizeof(int), out, 6, MPI_INT, peer, 41, MPI_COMM_WORLD,
                       &request[at]);
        for (int at = 3; at < 5; at++)
            LARGE_CALL(Issend, 1, 5 * sizeof(int), out, 5, MPI_INT, peer, 41, MPI_COMM_WORLD,
                       &request[at]);
        for (int at = 5; at < 7; at++)
            LARGE_CALL(Irsend, 1, 4 * sizeof(int), out, 4, MPI_INT, peer, 41, MPI_COMM_WORLD,
                       &request[at]);
    } else {
        post_receives(peer, 41, DEPTH, request);
        PLAIN(Barrier, 1, MPI_COMM_WORLD);
    }
    PLAIN(Waitall, 1, DEPTH, request, MPI_STATUSES_IGNORE);
}

/* The same seven messages again for each way of waiting. */
static void start(int peer, int tag, MPI_Request *request)
{
    if (rank % 2)
        post_receives(peer, tag, DEPTH, request);
    else
        for (int at = 0; at < DEPTH; at++)
            LARGE_CALL(Isend, 1, 2 * sizeof(int), out, 2, MPI_INT, peer, tag, MPI_COMM_WORLD,
                       &request[at]);
}

static void waiting(int peer)
{
    MPI_Request request[DEPTH];
    int which[DEPTH], done, left;
    start(peer, 42, request);
    for (int at = 0; at < DEPTH; at++)
        PLAIN(Wait, 1, &request[at], MPI_STATUS_IGNORE);
    start(peer, 43, request);
    for (int at = 0; at < DEPTH; at++)
        PLAIN(Waitany, 1, DEPTH, request, which, MPI_STATUS_IGNORE);
    start(peer, 44, request);
    for (left = DEPTH; left > 0; left -= done)
        PLAIN(Waitsome, 1, DEPTH, request, &done, which, MPI_STATUSES_IGNORE);
}

static void testing(int peer)
{
    MPI_Request request[DEPTH];
    int which[DEPTH], done = 0, left;
    start(peer, 45, request);
    for (int at = 0; at < DEPTH; at++)
        do
            PLAIN(Test, 1, &request[at], &done, MPI_STATUS_IGNORE);
        while (!done);
    start(peer, 46, request);
    for (left = DEPTH; left > 0; left -= done != 0)
        PLAIN(Testany, 1, DEPTH, request, which, &done, MPI_STATUS_IGNORE);
    start(peer, 47, request);
    for (left = DEPTH; left > 0; left -= done)
        PLAIN(Testsome, 1, DEPTH, request, &done, which, MPI_STATUSES_IGNORE);
    start(peer, 48, request);
    do
        PLAIN(Testall, 1, DEPTH, request, &done, MPI_STATUSES_IGNORE);
    while (!done);
}

static void combined(int peer)
{
#if HAVE_Isendrecv
    int back[3];
    MPI_Request request;
    for (int at = 0; at < 3; at++) {
        LARGE_CALL(Isendrecv, 1, 3 * sizeof(int), out, 3, MPI_INT, peer, 49, back, 3, MPI_INT, peer,
                   49, MPI_COMM_WORLD, &request);
        PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
    }
    for (int at = 0; at < 2; at++) {
        LARGE_CALL(Isendrecv_replace, 1, 3 * sizeof(int), back, 3, MPI_INT, peer, 49, peer, 49,
                   MPI_COMM_WORLD, &request);
        PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
    }
#endif
    (void)peer;
}

/* Requests that are null complete at once and are calls all the same. */
static void nothing(void)
{
    MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int flag, which;
    PLAIN(Wait, 3, request, MPI_STATUS_IGNORE);
    PLAIN(Waitall, 5, 2, request, MPI_STATUSES_IGNORE);
    PLAIN(Waitall, 2, 0, request, MPI_STATUSES_IGNORE);
    PLAIN(Testany, 3, 2, request, &which, &flag, MPI_STATUS_IGNORE);
    VERIFY(flag && which == MPI_UNDEFINED);
}

void nonblocking(void)
{
    modes(rank ^ 1);
    waiting(rank ^ 1);
    testing(rank ^ 1);
    combined(rank ^ 1);
    nothing();
}
