/* Non-blocking collectives: payload at the call, none at its completion. */
#include "oracle.h"

enum { MOST = 256, TIMES = 3 };
static int out[MOST], in[MOST];
static MPI_Request request;

#define WAIT PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE)
#define START(name, bytes, ...)                                \
    do {                                                       \
        for (int turn = 0; turn < TIMES; turn++) {             \
            LARGE_CALL(name, 1, bytes, __VA_ARGS__, &request); \
            WAIT;                                              \
        }                                                      \
    } while (0)

static void with_one_count(void)
{
    for (int at = 0; at < 5; at++) {
        PLAIN(Ibarrier, 1, MPI_COMM_WORLD, &request);
        WAIT;
    }
    START(Ibcast, 21 * sizeof(int), out, 21, MPI_INT, 1, MPI_COMM_WORLD);
    START(Igather, 3 * sizeof(int), out, 3, MPI_INT, in, rank ? 999 : 3, MPI_INT, 0,
          MPI_COMM_WORLD);
    START(Iscatter, 5 * sizeof(int), out, rank ? 999 : 5, MPI_INT, in, 5, MPI_INT, 0,
          MPI_COMM_WORLD);
    START(Iallgather, 7 * sizeof(int), out, 7, MPI_INT, in, 7, MPI_INT, MPI_COMM_WORLD);
    START(Ialltoall, 2 * sizeof(int), out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
    START(Ireduce, 11 * sizeof(int), out, in, 11, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    START(Iallreduce, 13 * sizeof(int), out, in, 13, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    START(Ireduce_scatter_block, 2 * sizeof(int), out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    START(Iscan, 3 * sizeof(int), out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    START(Iexscan, 5 * sizeof(int), out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void in_place(void)
{
    START(Iallreduce, 2 * sizeof(int), MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    START(Iallgather, 3 * sizeof(int), MPI_IN_PLACE, 999, MPI_DATATYPE_NULL, in, 3, MPI_INT,
          MPI_COMM_WORLD);
    START(Ialltoall, 5 * sizeof(int), MPI_IN_PLACE, 999, MPI_DATATYPE_NULL, in, 5, MPI_INT,
          MPI_COMM_WORLD);
}

static void with_own_counts(void)
{
    amount counts[16];
    offset places[16];
    int mine = rank + 1;
    for (int at = 0, place = 0; at < size; place += ++at) {
        counts[at] = at + 1;
        places[at] = place;
    }
    START(Igatherv, mine * sizeof(int), out, mine, MPI_INT, in, counts, places, MPI_INT, 0,
          MPI_COMM_WORLD);
    START(Iscatterv, mine * sizeof(int), out, counts, places, MPI_INT, in, mine, MPI_INT, 0,
          MPI_COMM_WORLD);
    START(Iallgatherv, mine * sizeof(int), out, mine, MPI_INT, in, counts, places, MPI_INT,
          MPI_COMM_WORLD);
    START(Ireduce_scatter, mine * sizeof(int), out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* The arrays of these calls must stay as they are until completion. */
static void with_all_counts(void)
{
    amount counts[16];
    offset places[16], bytes[16];
    MPI_Datatype kinds[16];
    for (int at = 0; at < size; at++) {
        counts[at] = 3;
        places[at] = 4 * at;
        bytes[at] = 32 * at;
        kinds[at] = MPI_SHORT;
    }
    START(Ialltoallv, 3 * sizeof(int), out, counts, places, MPI_INT, in, counts, places, MPI_INT,
          MPI_COMM_WORLD);
    START(Ialltoallw, 3 * sizeof(short), out, counts, bytes, kinds, in, counts, bytes, kinds,
          MPI_COMM_WORLD);
}

void nonblocking_collectives(void)
{
    with_one_count();
    in_place();
    with_own_counts();
    with_all_counts();
}
