/* Windows: whose class their calls are recorded under. */
#ifndef ADVISOR_WINDOWS_H
#define ADVISOR_WINDOWS_H

#include "communicators.h"

extern struct map window_map __attribute__((visibility("hidden")));
struct communicator *window_meet(MPI_Win window);

static inline struct communicator *window_of(MPI_Win window)
{
    struct communicator *found = map_find(&window_map, (uintptr_t)window);
    return __builtin_expect(found != NULL, 1) ? found : window_meet(window);
}

void window_created(MPI_Win window, MPI_Comm comm, unsigned kind, int64_t bytes,
                    uint64_t begin); /* begin of the call that made it, ticks */
void window_freed(MPI_Win window);   /* before the library forgets it */
void window_over(uint64_t exit); /* the call that freed it has returned: no rank has a lock of it */
void windows_each(void (*visit)(struct communicator *window, void *with),
                  void *with); /* that live */

#endif
