#include "operators.h"
#include "map.h"
#include "record.h"

int operators_created;
static struct map known = MAP_START;
static char commutative, ordered; /* the map's values are their addresses */

void operator_created(MPI_Op made, int commutes)
{
    if (map_insert(&known, (uintptr_t)made, commutes ? &commutative : &ordered))
        __atomic_store_n(&operators_created, 1, __ATOMIC_RELAXED);
}

void operator_freed(MPI_Op gone)
{
    map_remove(&known, (uintptr_t)gone);
}

uint64_t operator_handling(MPI_Op used)
{
    const char *how = map_find(&known, (uintptr_t)used);
    return !how                  ? 0
           : how == &commutative ? key_of_handling(HANDLING_COMMUTATIVE)
                                 : key_of_handling(HANDLING_ORDERED);
}
