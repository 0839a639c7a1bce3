#include "requests.h"
#include "calls.h"
#include <stdlib.h>

static struct map persistent_map = MAP_START;

static void keep(MPI_Request request, int64_t bytes, unsigned class, int world)
{
    struct persistent *made = malloc(sizeof *made);
    if (!made)
        return;
    *made = (struct persistent){ bytes, class, world };
    free(map_remove(&persistent_map, (uintptr_t)request));
    if (!map_insert(&persistent_map, (uintptr_t)request, made))
        free(made);
}

void persistent_message(MPI_Request request, struct communicator *communicator, int peer, int64_t bytes, int sends)
{
    struct path path = path_to(communicator, peer);
    sampling_stop_messages(communicator);   /* its messages and others would have to be numbered together */
    int is_message = sends && path.class != CLASS_NONE;
    keep(request, is_message ? bytes : -1, path.class, is_message ? path.world : -1);
}

void persistent_collective(MPI_Request request, struct communicator *communicator, int64_t bytes)
{
    keep(request, bytes, communicator->class, -1);
}

void persistent_freed(MPI_Request request)
{
    free(map_remove(&persistent_map, (uintptr_t)request));
    pending_freed(request);
}

struct persistent persistent_of(MPI_Request request)
{
    struct persistent *found = map_find(&persistent_map, (uintptr_t)request);
    return found ? *found : (struct persistent){ -1, CLASS_NONE, -1 };
}
