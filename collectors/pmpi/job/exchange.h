/* Rows that go from rank to rank, when the job is over. */
#ifndef ADVISOR_EXCHANGE_H
#define ADVISOR_EXCHANGE_H

#include <stddef.h>

/* Rows of `size` bytes each, which begin with an int: the rank of the job that they go to; once
 * they are there that which they come from. Sorts `rows`. What came, in any order, to be freed.
 * Collective over the job; needs MPI_Ibarrier; each exchange of a job has a tag of its own. */
struct came {
    void *rows;
    size_t count;
};
struct came exchange(void *rows, size_t count, size_t size, int tag);

#endif
