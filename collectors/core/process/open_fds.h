/* What this process holds open that carries messages. */
#ifndef ADVISOR_OPEN_FDS_H
#define ADVISOR_OPEN_FDS_H

#include <stddef.h>

/* Names below /dev (infiniband/uverbs0, hfi1_0, xpmem …) and "tcp" for a connection to another
 * host, with commas between. */
void open_fds(char *list, size_t size);

#endif
