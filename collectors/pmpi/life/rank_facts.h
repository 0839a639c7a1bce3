/* Facts about this rank as a process. */
#ifndef ADVISOR_RANK_FACTS_H
#define ADVISOR_RANK_FACTS_H

#include "record.h"

void rank_describe(struct rank_record *rank, int requested,
                   int provided); /* levels of threads: MPI_THREAD_… */
double rank_call_cost(void);      /* seconds to count one call; nothing may be counted yet */
void rank_usage_begins(struct rank_record *rank);
void rank_take_usage(struct rank_record *rank); /* since it began */

#endif
