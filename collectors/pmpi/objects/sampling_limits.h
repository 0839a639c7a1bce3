/* Calls of which no samples are kept any more, and why. */
#ifndef ADVISOR_SAMPLING_LIMITS_H
#define ADVISOR_SAMPLING_LIMITS_H

#include "communicators.h"
#include "unsampled.h"

void sampling_not(enum unsampled why); /* kept in the record */

/* Numbers of messages no longer agree with those of the peers. */
void sampling_stop_messages(struct communicator *communicator, enum unsampled why);
void sampling_stop_all_messages(enum unsampled why);

#endif
