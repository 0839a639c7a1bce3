/* Ports and published names, and connecting over them: rank 0 accepts, rank 1 connects. */
#include "oracle.h"

static void connected(const char *port)
{
    MPI_Comm comm;
    int data = rank;
    if (rank == 0)
        PLAIN(Comm_accept, 1, port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
    else
        PLAIN(Comm_connect, 1, port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
    LARGE_CALL(Sendrecv_replace, 3, sizeof(int), &data, 1, MPI_INT, 0, 91, 0, 91, comm,
               MPI_STATUS_IGNORE);
    PLAIN(Comm_disconnect, 1, &comm);
}

void names(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    if (rank > 1)
        return;
    if (rank == 0) {
        PLAIN(Open_port, 1, MPI_INFO_NULL, port);
        LARGE_CALL(Send, 1, MPI_MAX_PORT_NAME, port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 90,
                   MPI_COMM_WORLD);
    } else
        LARGE_PLAIN(Recv, 1, port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 90, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
    connected(port);
    if (rank == 0) {
        char found[MPI_MAX_PORT_NAME];
        PLAIN(Publish_name, 1, "oracle", MPI_INFO_NULL, port);
        PLAIN(Lookup_name, 3, "oracle", MPI_INFO_NULL, found);
        PLAIN(Unpublish_name, 1, "oracle", MPI_INFO_NULL, port);
        PLAIN(Close_port, 1, port);
    }
}
