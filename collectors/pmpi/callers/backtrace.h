/* Stacks of sampled calls, if ADVISOR_STACKS asks for them: of all, or of those by mpi4py. */
#ifndef ADVISOR_BACKTRACE_H
#define ADVISOR_BACKTRACE_H

#include "record.h"

struct frame {
    uint64_t address;
    uint32_t line;
    const char *file, *function;
}; /* file: of a Python frame, else NULL */

extern int stacks_depth __attribute__((visibility("hidden"))); /* 0: none are wanted */
void stacks_start(void);
/* The call at hand, of which `sample` was kept, is over; the library holds no lock. */
void stacks_take(unsigned operation, const struct reservoir *reservoir,
                 const struct sample *sample);
/* Frames of the Python code that this thread runs, the innermost first, or 0; `add` sees them while
 * they live. */
int python_is_here(void);
int python_frames(int most, void (*add)(void *to, const struct frame *frames, int count), void *to);

#endif
