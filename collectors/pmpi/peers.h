/* The memory of what is known of a communicator's peers. */
#ifndef ADVISOR_PEERS_H
#define ADVISOR_PEERS_H

#include "communicators.h"

void peers_discard(struct communicator *communicator);
uint64_t peers_memory(void); /* bytes allocated for those of communicators that live */

#endif
