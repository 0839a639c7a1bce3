/* Calls that ask: each kind until it finds what it asks for. Prints, of this rank, a line for each:
 * operation, calls that found something, calls that found nothing.
 *
 * Usage: polls MESSAGES      on two ranks; rank 1 asks */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TEST, TESTALL, TESTANY, TESTSOME, IPROBE, IMPROBE, GET_STATUS, WIN_TEST, KINDS };
static const char *const names[KINDS] = {
    "Test", "Testall", "Testany", "Testsome", "Iprobe", "Improbe", "Request_get_status", "Win_test"
};
static long answers[KINDS][2]; /* [0]: that nothing was there */

static int asked(int kind, int found)
{
    answers[kind][found != 0]++;
    return found;
}

static void rest(void)
{
    struct timespec time = { 0, 300000 };
    nanosleep(&time, NULL);
}

static int complete(int kind, MPI_Request *request)
{
    int found, index;
    if (kind == TEST)
        MPI_Test(request, &found, MPI_STATUS_IGNORE);
    else if (kind == TESTALL)
        MPI_Testall(1, request, &found, MPI_STATUSES_IGNORE);
    else if (kind == TESTANY)
        MPI_Testany(1, request, &index, &found, MPI_STATUS_IGNORE);
    else if (kind == TESTSOME)
        MPI_Testsome(1, request, &found, &index, MPI_STATUSES_IGNORE);
    else
        MPI_Request_get_status(*request, &found, MPI_STATUS_IGNORE);
    return asked(kind, found);
}

static void receive(int kind)
{
    double value;
    MPI_Request request;
    MPI_Message message;
    int found = 0;
    if (kind == IPROBE) {
        while (MPI_Iprobe(0, kind, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE), !asked(kind, found))
            ;
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (kind == IMPROBE) {
        while (MPI_Improbe(0, kind, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE),
               !asked(kind, found))
            ;
        MPI_Mrecv(&value, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(&value, 1, MPI_DOUBLE, 0, kind, MPI_COMM_WORLD, &request);
        while (!complete(kind, &request))
            ;
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* at once: it is complete, or none any more */
    }
}

static void expose(MPI_Group other, MPI_Win window, int rank)
{
    double value = 1;
    int found;
    if (rank == 0) {
        MPI_Win_start(other, 0, window);
        rest();
        MPI_Put(&value, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, window);
        MPI_Win_complete(window);
        return;
    }
    MPI_Win_post(other, 0, window);
    while (MPI_Win_test(window, &found), !asked(WIN_TEST, found))
        ;
}

int main(int argc, char **argv)
{
    double value = 1, memory[4] = { 0 };
    MPI_Group world, other;
    MPI_Win window;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){ !rank }, &other);
    for (int k = 0; k < atoi(argv[1]); k++)
        for (int kind = 0; kind < WIN_TEST; kind++) {
            if (rank == 0) {
                rest();
                MPI_Send(&value, 1, MPI_DOUBLE, 1, kind, MPI_COMM_WORLD);
            } else {
                receive(kind);
            }
        }
    for (int k = 0; k < atoi(argv[1]); k++)
        expose(other, window, rank);
    for (int kind = 0; rank == 1 && kind < KINDS; kind++)
        printf("%s %ld %ld\n", names[kind], answers[kind][1], answers[kind][0]);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
