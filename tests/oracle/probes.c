/* Probing, matched probing, and reading statuses. */
#include "oracle.h"

static void plain_probes(int peer)
{
    int data[16], flag = 0;
    amount count;
    MPI_Status status;
    if (rank % 2 == 0) {
        LARGE_CALL(Send, 5, 10 * sizeof(int), data, 10, MPI_INT, peer, 21, MPI_COMM_WORLD);
        return;
    }
    for (int at = 0; at < 3; at++) {
        PLAIN(Probe, 1, peer, 21, MPI_COMM_WORLD, &status);
        LARGE_PLAIN(Get_count, 2, &status, MPI_INT, &count);
        VERIFY(count == 10);
        LARGE_PLAIN(Recv, 1, data, 16, MPI_INT, peer, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int at = 0; at < 2; at++) {
        do
            PLAIN(Iprobe, 1, MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &flag, &status);
        while (!flag);
        LARGE_PLAIN(Get_elements, 1, &status, MPI_INT, &count);
        LARGE_PLAIN(Recv, 1, data, 16, MPI_INT, peer, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void matched(int peer)
{
    double data[7];
    int flag = 0;
    MPI_Message message;
    MPI_Request request;
    if (rank % 2 == 0) {
        LARGE_CALL(Send, 7, 7 * sizeof(double), data, 7, MPI_DOUBLE, peer, 22, MPI_COMM_WORLD);
        return;
    }
    for (int at = 0; at < 5; at++) {
        PLAIN(Mprobe, 1, peer, 22, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        LARGE_PLAIN(Mrecv, 1, data, 7, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    }
    for (int at = 0; at < 2; at++) {
        do
            PLAIN(Improbe, 1, peer, 22, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        while (!flag);
        LARGE_PLAIN(Imrecv, 1, data, 7, MPI_DOUBLE, &message, &request);
        PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);
    }
}

static void statuses(void)
{
    MPI_Status status;
    MPI_Count wide_count;
    int value;
    memset(&status, 0, sizeof status);
    LARGE_PLAIN(Status_set_elements, 3, &status, MPI_INT, 4);
    PLAIN(Status_set_elements_x, 2, &status, MPI_INT, 4);
    PLAIN(Get_elements_x, 2, &status, MPI_INT, &wide_count);
    VERIFY(wide_count == 4);
    PLAIN(Status_set_cancelled, 2, &status, 0);
    PLAIN(Test_cancelled, 3, &status, &value);
    PLAIN(Status_set_source, 2, &status, 0);
    PLAIN(Status_set_tag, 3, &status, 5);
    PLAIN(Status_set_error, 5, &status, MPI_SUCCESS);
    PLAIN(Status_get_source, 3, &status, &value);
    PLAIN(Status_get_tag, 5, &status, &value);
    PLAIN(Status_get_error, 2, &status, &value);
}

void probes(void)
{
    plain_probes(rank ^ 1);
    matched(rank ^ 1);
    statuses();
}
