/* Which block a thread counts in, and whether counting has begun. */
#ifndef ADVISOR_THREADS_H
#define ADVISOR_THREADS_H

#include "record.h"

enum phase { PHASE_BEFORE, PHASE_STARTING, PHASE_COUNTING, PHASE_OVER };
extern enum phase counting_phase __attribute__((visibility("hidden")));
extern __thread struct block *own_block __attribute__((
    visibility("hidden"), tls_model("initial-exec"))); /* NULL: this thread counts nothing (yet) */

/* The block to count in, or NULL: pass the call through. Resolves the library's functions at the
 * first call. */
struct block *call_begin_slow(const void *caller);

void threads_start(void);   /* there is a record */
void threads_add_own(void); /* this thread has a block from now on */
void threads_start_slices(
    void); /* of time, in the own block; those of later threads begin with them */

#endif
