/* Partitioned sends: the payload is all partitions, handed in at the start. */
#include "oracle.h"

void partitioned(void)
{
#if HAVE_Psend_init
    enum { PARTITIONS = 6, EACH = 4 };
    int data[PARTITIONS * EACH] = { 0 }, list[2] = { 4, 5 }, flag = 0, peer = rank ^ 1;
    MPI_Request request;
    if (rank % 2 == 0)
        PLAIN(Psend_init, 1, data, PARTITIONS, EACH, MPI_INT, peer, 66, MPI_COMM_WORLD,
              MPI_INFO_NULL, &request);
    else
        PLAIN(Precv_init, 1, data, PARTITIONS, EACH, MPI_INT, peer, 66, MPI_COMM_WORLD,
              MPI_INFO_NULL, &request);
    for (int turn = 0; turn < 3; turn++) {
        if (rank % 2 == 0) {
            CALL(Start, 1, PARTITIONS * EACH * sizeof(int), &request);
            for (int at = 0; at < 2; at++)
                PLAIN(Pready, 1, at, request);
            PLAIN(Pready_range, 1, 2, 3, request);
            PLAIN(Pready_list, 1, 2, list, request);
        } else {
            PLAIN(Start, 1, &request);
            do
                PLAIN(Parrived, 1, request, 0, &flag);
            while (!flag);
        }
        PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
    }
    PLAIN(Request_free, 1, &request);
#endif
}
