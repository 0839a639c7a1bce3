/* What was counted for the thread that began MPI (counters.h), in the record. */
#ifndef ADVISOR_COUNTER_ROWS_H
#define ADVISOR_COUNTER_ROWS_H

#include <stdint.h>

enum { COUNTER_ROWS = 16, COUNTER_NAME = 48, MISSING_COUNTERS_SIZE = 2048 };

/* Sums over windows: of counts, of seconds, and of their squares and products, for the error of a
 * ratio. */
struct counter_part {
    double count, time, count_count, count_time, time_time;
};

struct counter_row {
    char name[COUNTER_NAME];
    uint64_t total; /* from the end of MPI_Init to the last window, or to MPI_Finalize */
    struct counter_part inside, outside;
    uint64_t used;
};

#endif
