/* Collective operations as OTF2 has them. Sizes as Score-P counts them: a block once for each
 * member that it goes to or comes from. */
#include "writer.h"
#include <ctype.h>
#include <string.h>

static const struct {
    const char *name;
    int collective;
} names[] = { { "Barrier", OTF2_COLLECTIVE_OP_BARRIER },
              { "Bcast", OTF2_COLLECTIVE_OP_BCAST },
              { "Gather", OTF2_COLLECTIVE_OP_GATHER },
              { "Gatherv", OTF2_COLLECTIVE_OP_GATHERV },
              { "Scatter", OTF2_COLLECTIVE_OP_SCATTER },
              { "Scatterv", OTF2_COLLECTIVE_OP_SCATTERV },
              { "Allgather", OTF2_COLLECTIVE_OP_ALLGATHER },
              { "Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV },
              { "Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL },
              { "Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV },
              { "Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW },
              { "Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE },
              { "Reduce", OTF2_COLLECTIVE_OP_REDUCE },
              { "Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER },
              { "Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK },
              { "Scan", OTF2_COLLECTIVE_OP_SCAN },
              { "Exscan", OTF2_COLLECTIVE_OP_EXSCAN } };

/* "Allreduce" and "Iallreduce". */
int collective_named(const char *operation)
{
    char other[48] = "";
    if (*operation == 'I' && strlen(operation) < sizeof other) {
        strcpy(other, operation + 1);
        *other = (char)toupper((unsigned char)*other);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(operation, names[i].name) || !strcmp(other, names[i].name))
            return names[i].collective;
    return -1;
}

/* "Iallreduce", "Allreduce_init", "Ineighbor_alltoall" and "Neighbor_alltoall_init". */
int collective_started(const char *operation)
{
    char name[48];
    const char *begin = !strncmp(operation, "Ineighbor_", 10) ? operation + 10
                        : !strncmp(operation, "Neighbor_", 9) ? operation + 9
                                                              : operation;
    const size_t length = strlen(begin),
                 end = length > 5 && !strcmp(begin + length - 5, "_init") ? length - 5 : length;
    if (end >= sizeof name)
        return -1;
    memcpy(name, begin, end);
    name[end] = 0;
    if (begin != operation)
        *name = (char)toupper((unsigned char)*name);
    return collective_named(name);
}

struct sizes sizes_of(int collective, uint64_t bytes, uint64_t members, uint64_t place, int is_root)
{
    switch (collective) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return (struct sizes){ 0, 0 };
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return (struct sizes){ is_root ? bytes * members : 0, bytes };
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return (struct sizes){ bytes, is_root ? bytes * members : 0 };
    case OTF2_COLLECTIVE_OP_SCAN:
        return (struct sizes){ bytes * (members - place), bytes * (place + 1) };
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return (struct sizes){ members > 1 ? bytes * (members - place - 1) : bytes, bytes * place };
    default:
        return (struct sizes){ bytes * members, bytes * members };
    }
}
