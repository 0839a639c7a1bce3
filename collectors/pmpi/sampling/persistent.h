/* Persistent and partitioned requests: their payload counts each time they are started, and each
 * start is numbered like a call. */
#ifndef ADVISOR_PERSISTENT_H
#define ADVISOR_PERSISTENT_H

#include "communicators.h"

enum persistent_kind {
    PERSISTENT_OTHER,
    PERSISTENT_SEND,
    PERSISTENT_RECEIVE,
    PERSISTENT_COLLECTIVE
};

struct persistent {
    int64_t bytes; /* -1: carries none */
    unsigned class;
    int world; /* receiver of a message, -1: none */
    enum persistent_kind kind;
    struct communicator *communicator; /* of a message; kept until the request is freed */
    int peer, tag;
    uint64_t handling; /* of the data, as in event_key */
    uint64_t state;    /* of a collective operation: its starts, numbered alike on all members */
    struct reservoir *reservoir;
    struct sample sample; /* what all of them have in common */
};

void persistent_message(MPI_Request request, struct communicator *communicator, int peer, int tag,
                        int64_t bytes, enum persistent_kind kind, uint64_t operation);
/* `operation` is the one that makes the request; its part (core/record/operations.h) is that of its
 * starts. */
void persistent_collective(MPI_Request request, uint64_t operation,
                           struct communicator *communicator, int64_t bytes, int root);
void persistent_freed(MPI_Request request);
struct persistent *persistent_find(MPI_Request request); /* NULL: none that we know */
/* The call at hand, not yet counted, has started a collective operation, or a message that was
 * chosen. */
void persistent_collective_started(struct block *block, struct persistent *started,
                                   MPI_Request request);
void persistent_message_chosen(struct block *block, unsigned operation,
                               const struct persistent *started, MPI_Request request);

#endif
