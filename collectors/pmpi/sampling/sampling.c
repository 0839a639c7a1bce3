#define _GNU_SOURCE
#include "sampling.h"
#include "backtrace.h"
#include "operations.h"
#include <math.h>

unsigned pending_requests;
int pending_remembers;

/* A call that starts something has not waited yet: its sample is finished when its request is. */
void sample_keep(struct block *block, unsigned operation, struct reservoir *reservoir,
                 const struct sample *sample)
{
    if (operation_parts[operation] & PART_STARTS) {
        block->started = *sample;
        block->chosen = (uint64_t)(reservoir - record->reservoirs);
    } else {
        sample_add(reservoir, record->samples, sample);
        if (stacks_depth && !(sample->role & ROLE_WHOLE) &&
            (sample->role & ROLE_WAITS ||
             operation_parts[operation] & PART_WHO)) /* of an exchange one half */
            stacks_take(operation, reservoir, sample);
    }
}

/* Time outside MPI before the call at hand, if it follows straight on a call with the same partners
 * that is known. Of one that only starts something nobody knows what its partners did meanwhile. */
float sample_gap(const struct block *block, unsigned operation)
{
    return block->straight && !(operation_parts[operation] & PART_STARTS) &&
                   block->begin >= block->previous
               ? (float)(block->begin - block->previous)
               : INFINITY;
}
