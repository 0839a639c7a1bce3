/* The second rank sends MANY messages that the first receives afterwards; with LATE 1 the receives
 * are posted when all have come, else before. WITHOUT of them are never received. With OWN 1 the
 * program uses the tool interface itself, beginning and ending it more than once.
 *
 * Usage: queues MANY LATE WITHOUT OWN */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1000 };
static int data[MOST + 1];
static MPI_Request requests[MOST];

static void use_tools(void)
{
    int provided, number;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) || MPI_T_pvar_get_num(&number) ||
        MPI_T_cvar_get_num(&number) || MPI_T_finalize())
        puts("the tool interface failed");
}

static void post(int count)
{
    for (int i = 0; i < count; i++)
        MPI_Irecv(&data[i], 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[i]);
}

int main(int argc, char **argv)
{
    const int many = atoi(argv[argc - 4]), late = atoi(argv[argc - 3]),
              received = many - atoi(argv[argc - 2]), own = atoi(argv[argc - 1]);
    int rank;
    if (own)
        use_tools();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (own)
        use_tools();
    if (rank == 0 && !late)
        post(received);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == 1 && i < many; i++)
        MPI_Send(&data[i], 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0, flag; i < 40; i++) { /* time goes on, and so does the library */
        usleep(10000);
        MPI_Iprobe(1 - rank, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    if (rank == 0 && late)
        post(received);
    if (rank == 1 &&
        usleep(100000) == 0) /* the first rank waits for it, so that messages take time */
        MPI_Send(&data[0], 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&data[many], 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Waitall(received, requests, MPI_STATUSES_IGNORE);
    if (own)
        use_tools();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
