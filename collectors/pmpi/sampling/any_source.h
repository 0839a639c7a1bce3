/* Posted receives from MPI_ANY_SOURCE: the sender is known when they are completed. */
#ifndef ADVISOR_ANY_SOURCE_H
#define ADVISOR_ANY_SOURCE_H

#include "sampling.h"

/* The call at hand has posted a receive, from a rank, or from any source; then its request comes
 * from the next pending_start(). */
void sample_received(struct block *block, unsigned operation, struct communicator *communicator,
                     int peer, int tag);
/* 1: it was one from any source. */
int any_source_posted(const struct block *block, MPI_Request request);
/* How many of them are among these requests, before a call that may complete them. */
int any_source_watch(int count, const MPI_Request *requests);
/* After that: statuses for the call, where the program wants none. */
MPI_Status *any_source_statuses(MPI_Status *wanted);
/* Those that are over now, as in pending_done(). The one that was kept last goes to `last`. */
void any_source_done(const struct block *block, unsigned operation, const MPI_Request *requests,
                     int done, const int *indices, struct sample *last);
void any_source_freed(MPI_Request request);

#endif
