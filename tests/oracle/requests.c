/* Requests as such: status without completion, cancel, free, generalised requests. */
#include "oracle.h"

static void status_of(int peer)
{
    int data[4] = { 0 }, flag, which, done;
    MPI_Request request[2];
    for (int at = 0; at < 2; at++)
        if (rank % 2)
            LARGE_PLAIN(Irecv, 1, data + at, 1, MPI_INT, peer, 51, MPI_COMM_WORLD, &request[at]);
        else
            LARGE_CALL(Isend, 1, sizeof(int), data + at, 1, MPI_INT, peer, 51, MPI_COMM_WORLD,
                       &request[at]);
    do
        PLAIN(Request_get_status, 1, request[0], &flag, MPI_STATUS_IGNORE);
    while (!flag);
#if HAVE_Request_get_status_all
    int list[2];
    do
        PLAIN(Request_get_status_all, 1, 2, request, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
    PLAIN(Request_get_status_any, 3, 2, request, &which, &flag, MPI_STATUS_IGNORE);
    PLAIN(Request_get_status_some, 2, 2, request, &done, list, MPI_STATUSES_IGNORE);
#endif
    (void)which;
    (void)done;
    PLAIN(Waitall, 1, 2, request, MPI_STATUSES_IGNORE);
}

static void cancelled(void)
{
    int data, flag;
    MPI_Request request;
    MPI_Status status;
    for (int at = 0; at < 3; at++) {
        LARGE_PLAIN(Irecv, 1, &data, 1, MPI_INT, rank, 52, MPI_COMM_WORLD, &request);
        PLAIN(Cancel, 1, &request);
        PLAIN(Wait, 1, &request, &status);
        PLAIN(Test_cancelled, 1, &status, &flag);
        VERIFY(flag);
    }
}

static void freed(int peer)
{
    int data = 0;
    MPI_Request request;
    if (rank % 2) {
        LARGE_PLAIN(Recv, 5, &data, 1, MPI_INT, peer, 53, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    for (int at = 0; at < 5; at++) {
        LARGE_CALL(Isend, 1, sizeof(int), &data, 1, MPI_INT, peer, 53, MPI_COMM_WORLD, &request);
        PLAIN(Request_free, 1, &request);
    }
}

/* The library calls this inside of MPI_Wait: calls from here are not outermost and are not expected
 * in the table. */
static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_cancelled(status, 0);
    return MPI_Status_set_elements(status, MPI_BYTE, 0);
}
static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}
static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void generalised(void)
{
    MPI_Request request;
    for (int at = 0; at < 3; at++) {
        PLAIN(Grequest_start, 1, query, release, cancel, NULL, &request);
        PLAIN(Grequest_complete, 1, request);
        PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
    }
}

void requests(void)
{
    status_of(rank ^ 1);
    cancelled();
    freed(rank ^ 1);
    generalised();
}
