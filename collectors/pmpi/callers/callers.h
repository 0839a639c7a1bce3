/* The caller: the return address of a wrapper, or of the Fortran routine that called it.
 *
 * Open MPI's Fortran layer, and the mpi_f08 layer of others, are libraries between the program and
 * us: their return addresses say nothing about the program. The frame above is found by the size of
 * the layer's stack frame, which is fixed for a return address; it is learnt by unwinding, at the
 * first calls from there. */
#ifndef ADVISOR_CALLERS_H
#define ADVISOR_CALLERS_H

#include <stdint.h>

#if defined(__x86_64__)
/* The address above the return address, which lies at [-1]. */
#define CALLER __builtin_dwarf_cfa()
static inline uint64_t caller_address(const void *frame)
{
    return ((const uint64_t *)frame)[-1];
}
#else
#define CALLER __builtin_return_address(0)
static inline uint64_t caller_address(const void *frame)
{
    return (uint64_t)(uintptr_t)frame;
}
#endif

extern uint64_t layer_low __attribute__((visibility("hidden"))),
    layer_size __attribute__((
        visibility("hidden"))); /* all Fortran layers lie within; size 0: there is none */
void callers_start(void);       /* finds them */

/* The first return address outside, the nearest if it cannot be told; 0 if the layer calls on its
 * own account: Open MPI's asks for the size of a communicator in the middle of a gather, which no
 * program did. `operation` as in operation_names. */
uint64_t caller_above_layer(const void *frame, unsigned operation);

#endif
