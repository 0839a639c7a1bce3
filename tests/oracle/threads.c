/* Four threads at once: every call of every thread is counted, none twice. */
#include <pthread.h>
#include "oracle.h"

enum { THREADS = 4, TIMES = 1009 };
static MPI_Comm own[THREADS];

static void *work(void *number)
{
    const int me = (int)(long)number, peer = rank ^ 1;
    char out[THREADS + 1] = { 0 }, in[THREADS + 1];
    int one = 1, sum;
    for (int at = 0; at < TIMES; at++)
        LARGE_CALL(Sendrecv, 1, me + 1, out, me + 1, MPI_CHAR, 0, 1, in, me + 1, MPI_CHAR, 0, 1,
                   own[me], MPI_STATUS_IGNORE);
    for (int at = 0; at < 101; at++)
        LARGE_CALL(Allreduce, 1, sizeof(int), &one, &sum, 1, MPI_INT, MPI_SUM, own[me]);
    for (int at = 0; at < 53; at++)
        LARGE_CALL(Sendrecv, 1, me, out, me, MPI_CHAR, peer, 100 + me, in, THREADS, MPI_CHAR, peer,
                   100 + me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

void threads(void)
{
    pthread_t thread[THREADS];
    for (int at = 0; at < THREADS; at++)
        PLAIN(Comm_dup, 1, MPI_COMM_SELF, &own[at]);
    for (long at = 0; at < THREADS; at++)
        VERIFY(pthread_create(&thread[at], NULL, work, (void *)at) == 0);
    for (int at = 0; at < THREADS; at++)
        pthread_join(thread[at], NULL);
    for (int at = 0; at < THREADS; at++)
        PLAIN(Comm_free, 1, &own[at]);
}
