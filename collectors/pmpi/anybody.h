/* Receives from MPI_ANY_SOURCE that have been posted: who sent is told when they are completed. */
#ifndef ADVISOR_ANYBODY_H
#define ADVISOR_ANYBODY_H

#include "communicators.h"
#include "samples.h"

/* The call at hand has posted one; its request comes from the next pending_start(). */
void anybody_posting(struct communicator *communicator);
/* 1: it was one. */
int anybody_posted(const struct block *block, MPI_Request request);
/* Is one open, so that nobody knows yet which message a later receive of the communicator gets? */
int anybody_is_open(const struct communicator *communicator);
/* How many of them are among these requests, before a call that may complete them. */
int anybody_watch(int count, const MPI_Request *requests);
/* After that: statuses for the call, where the program wants none. */
MPI_Status *anybody_statuses(MPI_Status *wanted);
/* Those that are over now, as in pending_done(). The one that was kept last goes to `last`. */
void anybody_done(const struct block *block, unsigned operation, const MPI_Request *requests,
                  int done, const int *indices, struct sample *last);
void anybody_freed(MPI_Request request);

#endif
