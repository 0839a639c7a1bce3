/* Memory of the descriptions of communicators and windows and of their attachments, and how long
 * they are kept. */
#ifndef ADVISOR_COMMUNICATOR_MEMORY_H
#define ADVISOR_COMMUNICATOR_MEMORY_H

#include "communicators.h"

struct communicator *
communicator_allocate(void);                 /* NULL: there is no room; its fields hold anything */
struct communicator *communicator_new(void); /* the same, without anything known of it */
void communicator_discard(struct communicator *made);
void communicator_ask_group(
    struct communicator
        *communicator); /* not once the program has freed it; `communicators_lock` is held */
void communicator_make_peers(
    struct communicator *communicator); /* room for them, up to a limit; the lock is held */
uint64_t communicator_memory(void);     /* bytes allocated for those that live */

#endif
