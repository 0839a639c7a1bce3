/* Processes that read together under MPI. */
#include "group.h"
#include "trace.h"
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 30, TAG = 1, TAG_OF_PATH = 2 };

void group_begin(void)
{
    MPI_Init(NULL, NULL);
}
void group_end(void)
{
    MPI_Finalize();
}

unsigned group_size(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return (unsigned)size;
}

unsigned group_place(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (unsigned)rank;
}

static uint64_t all(uint64_t value, MPI_Op operation)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, operation, MPI_COMM_WORLD);
    return value;
}

uint64_t group_sum(uint64_t value)
{
    return all(value, MPI_SUM);
}
uint64_t group_least(uint64_t value)
{
    return all(value, MPI_MIN);
}

struct traffic {
    int *counts, *starts;
    uint64_t sum;
};

static struct traffic traffic_of(unsigned size)
{
    return (struct traffic){ xrealloc(NULL, size, sizeof(int)), xrealloc(NULL, size, sizeof(int)),
                             0 };
}

static void add_start(struct traffic *traffic, unsigned i, uint64_t count)
{
    traffic->starts[i] = (int)traffic->sum;
    traffic->counts[i] = (int)count;
    traffic->sum += count;
    if (traffic->sum > INT_MAX)
        die("too much of it is open at a time for so few processes");
}

/* Rows of `size` bytes: `out` of them, in the order of their receivers, for rows from all others.
 */
static char *exchanged(const char *rows, struct traffic *out, struct traffic *in, size_t size)
{
    const unsigned processes = group_size();
    int *counts = xrealloc(NULL, processes, sizeof *counts);
    MPI_Datatype row;
    MPI_Alltoall(out->counts, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (unsigned i = 0; i < processes; i++)
        add_start(in, i, (uint64_t)counts[i]);
    char *come = xrealloc(NULL, in->sum, size);
    MPI_Type_contiguous((int)size, MPI_BYTE, &row);
    MPI_Type_commit(&row);
    MPI_Alltoallv(rows, out->counts, out->starts, row, come, in->counts, in->starts, row,
                  MPI_COMM_WORLD);
    MPI_Type_free(&row);
    free(counts);
    return come;
}

static void end(struct traffic *traffic)
{
    free(traffic->counts);
    free(traffic->starts);
}

#define EXCHANGE(name, type)                                                              \
    void name(struct type *lists, struct type *from, size_t stride)                       \
    {                                                                                     \
        const unsigned size = group_size();                                               \
        struct traffic out = traffic_of(size), in = traffic_of(size);                     \
        for (unsigned i = 0; i < size; i++)                                               \
            add_start(&out, i, lists[i].count);                                           \
        char *rows = xrealloc(NULL, out.sum, sizeof *lists->rows);                        \
        for (unsigned i = 0; i < size; i++) {                                             \
            if (lists[i].count)                                                           \
                memcpy(rows + (size_t)out.starts[i] * sizeof *lists->rows, lists[i].rows, \
                       lists[i].count * sizeof *lists->rows);                             \
            lists[i].count = 0;                                                           \
        }                                                                                 \
        char *come = exchanged(rows, &out, &in, sizeof *lists->rows);                     \
        for (unsigned i = 0; i < size; i++) {                                             \
            struct type *to = &from[i * stride];                                          \
            const size_t count = (size_t)in.counts[i];                                    \
            if (to->room < count) {                                                       \
                to->rows = xrealloc(to->rows, count, sizeof *to->rows);                   \
                to->room = count;                                                         \
            }                                                                             \
            to->count = count;                                                            \
            if (count)                                                                    \
                memcpy(to->rows, come + (size_t)in.starts[i] * sizeof *to->rows,          \
                       count * sizeof *to->rows);                                         \
        }                                                                                 \
        free(rows);                                                                       \
        free(come);                                                                       \
        end(&out);                                                                        \
        end(&in);                                                                         \
    }
EXCHANGE(group_exchange, arrivals)
EXCHANGE(group_exchange_outcomes, outcomes)

void group_send(const void *data, size_t size, unsigned to)
{
    for (size_t at = 0; at < size; at += PIECE)
        MPI_Send((const char *)data + at, (int)(size - at < PIECE ? size - at : PIECE), MPI_BYTE,
                 (int)to, TAG, MPI_COMM_WORLD);
}

void group_receive(void *data, size_t size, unsigned from)
{
    for (size_t at = 0; at < size; at += PIECE)
        MPI_Recv((char *)data + at, (int)(size - at < PIECE ? size - at : PIECE), MPI_BYTE,
                 (int)from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void group_hand_on(const void *data, size_t size, unsigned to)
{
    MPI_Send(data, (int)size, MPI_BYTE, (int)to, TAG_OF_PATH, MPI_COMM_WORLD);
}

void group_take_over(void *data, size_t size)
{
    MPI_Recv(data, (int)size, MPI_BYTE, MPI_ANY_SOURCE, TAG_OF_PATH, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}
