/* The operators of reductions that the program made, known from MPI_Op_create to MPI_Op_free. */
#ifndef ADVISOR_OPERATORS_H
#define ADVISOR_OPERATORS_H

#include "library.h"
#include <stdint.h>

void operator_created(MPI_Op made, int commutes);
void operator_freed(MPI_Op gone);
extern int operators_created
    __attribute__((visibility("hidden"))); /* not 0: the program made one */

/* HANDLING_COMMUTATIVE or HANDLING_ORDERED as a part of the key; 0: one of the standard's. */
uint64_t operator_handling(MPI_Op used);

#endif
