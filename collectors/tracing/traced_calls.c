/* Collective calls and messages that are over when they return. */
#include "tracing.h"

void trace_collective(const struct block *block, unsigned operation,
                      struct communicator *communicator, int64_t bytes, int root)
{
    const int32_t who = root >= 0               ? root
                        : root == MPI_ROOT      ? ROOT_SELF
                        : root == MPI_PROC_NULL ? ROOT_THIS_GROUP
                                                : ROOT_NONE;
    const unsigned number = trace_communicator(communicator);
    if (number)
        trace_part(block, (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                                .peer = who,
                                                .communicator = (uint16_t)number,
                                                .operation = (uint16_t)operation,
                                                .kind = EVENT_COLLECTIVE });
}

void trace_send(const struct block *block, struct communicator *communicator, int peer, int tag,
                int64_t bytes)
{
    const unsigned number = peer >= 0 ? trace_communicator(communicator) : 0;
    if (number)
        trace_part(block, (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                                .peer = peer,
                                                .tag = tag,
                                                .communicator = (uint16_t)number,
                                                .kind = EVENT_SEND });
}
