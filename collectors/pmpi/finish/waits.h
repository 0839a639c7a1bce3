/* From samples to waits, when the job is over. */
#ifndef ADVISOR_WAITS_H
#define ADVISOR_WAITS_H

#include "merged.h"

/* Puts together the samples of all ranks, and adds what this rank waited, and for whom, to its
 * merged tables. Collective over the job. */
void waits_find(struct merged *merged);

#endif
