/* Persistent and partitioned requests: their payload counts each time they are started. */
#ifndef ADVISOR_REQUESTS_H
#define ADVISOR_REQUESTS_H

#include "communicators.h"

struct persistent { int64_t bytes; unsigned class; int world; };   /* bytes -1: carries none; world -1: no message */

void persistent_message(MPI_Request request, struct communicator *communicator, int peer, int64_t bytes, int sends);
void persistent_collective(MPI_Request request, struct communicator *communicator, int64_t bytes);
void persistent_freed(MPI_Request request);
struct persistent persistent_of(MPI_Request request);

#endif
