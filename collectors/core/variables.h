/* Performance variables of the MPI library, from MPI_T (pmpi/library/performance_variables.c). */
#ifndef ADVISOR_VARIABLES_H
#define ADVISOR_VARIABLES_H

#include <stdint.h>

enum { VARIABLE_ROWS = 16 };

/* `last`: at the end. Of a level, such as the length of a queue, `reads` readings, if counters are
 * wanted one a slice of time; their sum and the largest. */
struct variable_row {
    char name[64];
    char kind[16];  /* level, size, counter, timer, highwatermark */
    uint64_t reads; /* 0: the row is free */
    double sum, most, last;
};

#endif
