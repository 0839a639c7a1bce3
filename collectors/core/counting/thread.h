/* `current` is the whole state of a thread: its block while it is outside MPI and may be counted,
 * NULL while it is inside an MPI call, before MPI_Init, after MPI_Finalize, and in threads of the
 * library. */
#ifndef ADVISOR_THREAD_H
#define ADVISOR_THREAD_H

#include "record.h"

extern __thread struct block *current
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
