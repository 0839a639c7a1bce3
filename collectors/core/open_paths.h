/* Open file descriptors of this process that carry messages. */
#ifndef ADVISOR_OPEN_PATHS_H
#define ADVISOR_OPEN_PATHS_H

#include <stddef.h>

/* Names below /dev (infiniband/uverbs0, hfi1_0, xpmem …) and "tcp" for a connection to another
 * host, with commas between. */
void open_paths(char *list, size_t size);

#endif
