/* The ways by which the program came to calls that were sampled: on demand, since walking the stack
 * takes some microseconds. */
#ifndef ADVISOR_STACK_ROWS_H
#define ADVISOR_STACK_ROWS_H

#include <stdint.h>

enum { STACK_ROWS = 1024, STACK_DEPTH = 16 };

/* One frame; those of a stack stand together, the caller of MPI first. Row 0 is for stacks that
 * found no room. */
struct stack_row {
    uint64_t stack;     /* equal on all ranks for the same way to the same operation */
    double count, time; /* estimated calls, and seconds in them; in the first frame only */
    float count_count, time_time; /* sums of squares times (1 - p) / p^2, for their errors */
    uint32_t offset, level; /* of the return address in its module; of a Python frame the line */
    uint16_t module,
        function; /* rows of the module table; function: of a Python frame its name, else 0 */
    uint16_t operation, used;
};

#endif
