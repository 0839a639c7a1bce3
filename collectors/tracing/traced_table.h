/* What a request stands for, while it is open. The same handle may stand in the table more than
 * once: libraries hand out one request for all sends that were complete at once. */
#ifndef ADVISOR_TRACED_TABLE_H
#define ADVISOR_TRACED_TABLE_H

#include "tracing.h"

/* start: the event that starting it is. sent: the number of a send that is complete together with
 * it, 0: none. kept: a persistent request, which is there until it is freed. told: the start says
 * from whom, with which tag. */
struct traced {
    uint64_t key, sent;
    struct trace_event start;
    uint8_t kept, active, told;
};

static inline uint64_t request_key(MPI_Request request)
{
    return (uint64_t)(uintptr_t)request * 2 + 2;
}
static inline uint64_t message_key(MPI_Message message)
{
    return (uint64_t)(uintptr_t)message * 2 + 1;
}

void traced_remember(const struct traced *made);
int traced_start(uint64_t key,
                 struct trace_event *start); /* of a persistent one, with the number that it has
                                                this time; 0: it is none */
int traced_forget(uint64_t key, struct traced *was); /* it is complete; 0: it was not there */
void traced_drop(uint64_t key);                      /* it is freed */

#endif
