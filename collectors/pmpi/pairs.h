/* Between the two ends of a message, when the job is over. */
#ifndef ADVISOR_PAIRS_H
#define ADVISOR_PAIRS_H

#include "matching.h"

struct pair { int peer; struct met met; };   /* what this rank kept of a message from or to rank `peer` of the job */

/* Each one's rows to the other end; what came, in any order, its rows to be freed. Collective over the job; sorts `pairs` by peer. Needs
 * MPI_Ibarrier. */
struct met_list pairs_exchange(struct pair *pairs, size_t count);

#endif
