/* Buffered sends, with the buffer of the process, of a communicator and of a session. */
#include "oracle.h"

static void receive(int peer, int times)
{
    int data[16];
    LARGE_PLAIN(Recv, times, data, 16, MPI_INT, peer, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void process_buffer(int peer)
{
    static char room[1 << 16];
    int data[16] = { 0 };
    void *back;
    amount bytes;
    MPI_Request request[2];
    LARGE_PLAIN(Buffer_attach, 1, room, sizeof room);
    LARGE_CALL(Bsend, 5, 11 * sizeof(int), data, 11, MPI_INT, peer, 31, MPI_COMM_WORLD);
    LARGE_CALL(Bsend, 2, NOBODY, data, 11, MPI_INT, MPI_PROC_NULL, 31, MPI_COMM_WORLD);
    for (int at = 0; at < 2; at++)
        LARGE_CALL(Ibsend, 1, 3 * sizeof(int), data, 3, MPI_INT, peer, 31, MPI_COMM_WORLD,
                   &request[at]);
    PLAIN(Waitall, 1, 2, request, MPI_STATUSES_IGNORE);
    receive(peer, 7);
    NO_ARGUMENTS(Buffer_flush, 3);
#if HAVE_Buffer_iflush
    PLAIN(Buffer_iflush, 1, request);
    PLAIN(Wait, 1, request, MPI_STATUS_IGNORE);
#endif
    LARGE_PLAIN(Buffer_detach, 1, &back, &bytes);
    VERIFY(back == room && bytes == sizeof room);
}

#if HAVE_Comm_attach_buffer
static void communicator_buffer(int peer)
{
    static char room[1 << 14];
    int data[16] = { 0 };
    void *back;
    amount bytes;
    MPI_Comm comm;
    MPI_Request request;
    PLAIN(Comm_dup, 1, MPI_COMM_WORLD, &comm);
    LARGE_PLAIN(Comm_attach_buffer, 1, comm, room, sizeof room);
    LARGE_CALL(Bsend, 3, 5 * sizeof(int), data, 5, MPI_INT, peer, 32, comm);
    LARGE_PLAIN(Recv, 3, data, 16, MPI_INT, peer, 32, comm, MPI_STATUS_IGNORE);
    PLAIN(Comm_flush_buffer, 2, comm);
    PLAIN(Comm_iflush_buffer, 1, comm, &request);
    PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
    LARGE_PLAIN(Comm_detach_buffer, 1, comm, &back, &bytes);
    PLAIN(Comm_free, 1, &comm);
}
#endif

#if HAVE_Session_attach_buffer
static void session_buffer(void)
{
    static char room[1 << 14];
    void *back;
    amount bytes;
    MPI_Session session;
    MPI_Request request;
    PLAIN(Session_init, 1, MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    LARGE_PLAIN(Session_attach_buffer, 1, session, room, sizeof room);
    PLAIN(Session_flush_buffer, 3, session);
    PLAIN(Session_iflush_buffer, 1, session, &request);
    PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
    LARGE_PLAIN(Session_detach_buffer, 1, session, &back, &bytes);
    PLAIN(Session_finalize, 1, &session);
}
#endif

void buffers(void)
{
    process_buffer(rank ^ 1);
#if HAVE_Comm_attach_buffer
    communicator_buffer(rank ^ 1);
#endif
#if HAVE_Session_attach_buffer
    session_buffer();
#endif
}
