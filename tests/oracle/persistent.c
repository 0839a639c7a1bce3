/* Persistent point-to-point: the payload is handed in at every start, not when the request is made.
 */
#include "oracle.h"

enum { STARTS = 5 };

static void run(int sender, size_t bytes, MPI_Request *request)
{
    for (int at = 0; at < STARTS; at++) {
        if (!sender)
            PLAIN(Start, 1, request);
        PLAIN(Barrier, 1, MPI_COMM_WORLD); /* a ready send needs its receive */
        if (sender)
            CALL(Start, 1, bytes, request);
        PLAIN(Wait, 1, request, MPI_STATUS_IGNORE);
    }
    PLAIN(Request_free, 1, request);
}

static void modes(int peer)
{
    static char room[1 << 14];
    int data[8] = { 0 }, sender = rank % 2 == 0;
    void *back;
    amount size_back;
    MPI_Request request;
    LARGE_PLAIN(Buffer_attach, 1, room, sizeof room);
    for (int mode = 0; mode < 4; mode++) {
        if (!sender)
            LARGE_PLAIN(Recv_init, 1, data, 8, MPI_INT, peer, 61, MPI_COMM_WORLD, &request);
        else if (mode == 0)
            LARGE_PLAIN(Send_init, 1, data, 8, MPI_INT, peer, 61, MPI_COMM_WORLD, &request);
        else if (mode == 1)
            LARGE_PLAIN(Bsend_init, 1, data, 7, MPI_INT, peer, 61, MPI_COMM_WORLD, &request);
        else if (mode == 2)
            LARGE_PLAIN(Ssend_init, 1, data, 6, MPI_INT, peer, 61, MPI_COMM_WORLD, &request);
        else
            LARGE_PLAIN(Rsend_init, 1, data, 5, MPI_INT, peer, 61, MPI_COMM_WORLD, &request);
        run(sender, (8 - mode) * sizeof(int), &request);
    }
    LARGE_PLAIN(Buffer_detach, 1, &back, &size_back);
}

/* One send of 3 ints, one of 10 bytes and one to nobody in one call; the other side receives. */
static void together(int peer)
{
    int data[3][3] = { { 0 } };
    char text[10];
    MPI_Request request[3];
    LARGE_PLAIN(Send_init, 1, data[0], 3, MPI_INT, peer, 62, MPI_COMM_WORLD, &request[0]);
    LARGE_PLAIN(Recv_init, 1, data[1], 3, MPI_INT, peer, 62, MPI_COMM_WORLD, &request[1]);
    for (int at = 0; at < 3; at++) {
        CALL(Startall, 1, 3 * sizeof(int), 2, request);
        PLAIN(Waitall, 1, 2, request, MPI_STATUSES_IGNORE);
    }
    for (int at = 0; at < 2; at++)
        PLAIN(Request_free, 1, &request[at]);

    LARGE_PLAIN(Send_init, 1, data[0], 3, MPI_INT, peer, 63, MPI_COMM_WORLD, &request[0]);
    LARGE_PLAIN(Send_init, 1, text, 10, MPI_CHAR, peer, 64, MPI_COMM_WORLD, &request[1]);
    LARGE_PLAIN(Send_init, 1, text, 10, MPI_CHAR, MPI_PROC_NULL, 64, MPI_COMM_WORLD, &request[2]);
    for (int at = 0; at < 2; at++) {
        CALL(Startall, 1, 3 * sizeof(int) + 10, 3, request);
        LARGE_PLAIN(Recv, 1, data[1], 3, MPI_INT, peer, 63, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        LARGE_PLAIN(Recv, 1, text, 10, MPI_CHAR, peer, 64, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        PLAIN(Waitall, 1, 3, request, MPI_STATUSES_IGNORE);
    }
    for (int at = 0; at < 3; at++)
        PLAIN(Request_free, 1, &request[at]);
}

/* More live persistent requests than a small table holds: each keeps its own size. */
static void many(int peer)
{
    enum { LIVE = 211 };
    static char data[LIVE];
    static MPI_Request request[LIVE];
    for (int at = 0; at < LIVE; at++)
        LARGE_PLAIN(Send_init, 1, data, at, MPI_CHAR, peer, 65, MPI_COMM_WORLD, &request[at]);
    for (int at = 0; at < LIVE; at++) {
        CALL(Start, 1, at, &request[at]);
        LARGE_PLAIN(Recv, 1, data, LIVE, MPI_CHAR, peer, 65, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        PLAIN(Wait, 1, &request[at], MPI_STATUS_IGNORE);
    }
    for (int at = 0; at < LIVE; at++)
        PLAIN(Request_free, 1, &request[at]);
}

void persistent(void)
{
    modes(rank ^ 1);
    together(rank ^ 1);
    many(rank ^ 1);
}
