/* What every generated wrapper does around the library's call. */
#ifndef ADVISOR_CALLS_H
#define ADVISOR_CALLS_H

#include "library.h"
#include "events.h"
#include "peers.h"
#include "datatypes.h"
#include "operators.h"
#include "callers.h"
#include "sampling.h"
#include "threads.h"

#define EXPORT __attribute__((visibility("default")))

/* The call that ran from block->begin to block->last. `bytes` -1: it carries no data, bin -1.
 * `operation` of 64 bits: with its handling (record.h). */
void call_count(struct block *block, unsigned operation, const void *caller, unsigned class);
void call_count_in_vain(struct block *block, unsigned operation, const void *caller);
void call_count_collective(struct block *block, uint64_t operation, const void *caller,
                           struct communicator *communicator, int64_t bytes, int root);
/* A message, a receive, a message each way. Not 0: its number was chosen, it is to be sampled. */
int call_count_sent(struct block *block, uint64_t operation, const void *caller,
                    struct communicator *communicator, int peer, int64_t bytes);
int call_count_received(struct block *block, uint64_t operation, const void *caller,
                        struct communicator *communicator, int peer);
int call_count_exchanged_slow(struct block *block, uint64_t operation, const void *caller,
                              struct communicator *communicator, int peer, int64_t bytes,
                              int source, const MPI_Status *status);
void call_count_probed(struct block *block, uint64_t operation, const void *caller,
                       struct communicator *communicator, int peer);
void call_count_data(struct block *block, uint64_t operation, const void *caller, unsigned class,
                     int64_t bytes);
void call_count_start(struct block *block, unsigned operation, const void *caller, int count,
                      MPI_Request *requests);

#endif
