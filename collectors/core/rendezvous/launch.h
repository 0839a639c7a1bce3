/* What the launcher says of this world, in variables. */
#ifndef ADVISOR_LAUNCH_H
#define ADVISOR_LAUNCH_H

#include <stdint.h>

/* What tells one launch from another: equal on all processes of a world, as far as launchers say.
 * Two at a time under MPICH's tell nothing: where results go does. */
uint64_t launch_key(void);
int launch_has_name(void);           /* is there anything to tell it by? */
int launch_local_size(void);         /* processes of this world on this host; 0: it does not say */
int launch_is_on_one_host(int size); /* does it say that all `size` processes are on this host? */

#endif
