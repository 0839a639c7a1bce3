/* Every way of synchronising a window. */
#include "oracle.h"

static int *memory;
static MPI_Win win;

static void fences(int target)
{
    int one = 1;
    PLAIN(Win_fence, 1, MPI_MODE_NOPRECEDE, win);
    for (int at = 0; at < 5; at++) {
        LARGE_CALL(Put, 1, sizeof(int), &one, 1, MPI_INT, target, 0, 1, MPI_INT, win);
        PLAIN(Win_fence, 1, 0, win);
    }
    PLAIN(Win_fence, 1, MPI_MODE_NOSUCCEED, win);
}

/* Post, start, complete, wait between the two of a pair; the odd rank waits, once by polling. */
static void pairs(int peer)
{
    int one = 1, flag = 0;
    MPI_Group world, other;
    PLAIN(Comm_group, 1, MPI_COMM_WORLD, &world);
    PLAIN(Group_incl, 1, world, 1, &peer, &other);
    for (int at = 0; at < 3; at++) {
        if (rank % 2 == 0) {
            PLAIN(Win_start, 1, other, 0, win);
            LARGE_CALL(Put, 2, sizeof(int), &one, 1, MPI_INT, peer, 1, 1, MPI_INT, win);
            PLAIN(Win_complete, 1, win);
        } else {
            PLAIN(Win_post, 1, other, 0, win);
            if (at)
                PLAIN(Win_wait, 1, win);
            else
                do
                    PLAIN(Win_test, 1, win, &flag);
                while (!flag);
        }
    }
    PLAIN(Group_free, 1, &other);
    PLAIN(Group_free, 1, &world);
}

static void locks(int target)
{
    int one = 1;
    for (int at = 0; at < 3; at++) {
        PLAIN(Win_lock, 1, at % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win);
        LARGE_CALL(Put, 1, sizeof(int), &one, 1, MPI_INT, target, 2 + rank, 1, MPI_INT, win);
        PLAIN(Win_flush_local, 2, target, win);
        PLAIN(Win_flush, 3, target, win);
        PLAIN(Win_unlock, 1, target, win);
    }
    PLAIN(Win_lock_all, 1, 0, win);
    PLAIN(Win_flush_local_all, 2, win);
    PLAIN(Win_flush_all, 5, win);
    PLAIN(Win_sync, 3, win);
    PLAIN(Win_unlock_all, 1, win);
}

void onesided_synchronisation(void)
{
    LARGE_PLAIN(Win_allocate, 1, 64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                &memory, &win);
    fences(rank ^ 1);
    pairs(rank ^ 1);
    locks(rank ^ 1);
    PLAIN(Win_free, 1, &win);
}
