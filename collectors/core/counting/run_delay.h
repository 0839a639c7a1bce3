/* How long the thread that began MPI was ready to run and had no core (the kernel's run delay), and
 * how long it asked for none (asleep): inside MPI calls and outside.
 *
 * Calls know nothing of this but one comparison at their begin and the one at their end, with
 * block->slice_end. The kernel is asked when a call begins or ends after a deadline: what it
 * counted since it was asked last belongs to what the deadline passed in, the call or the time
 * before it. Anything longer than the time between two deadlines is so told apart exactly; each
 * reading may be wrong by what happened since the last one in calls and gaps that were shorter. */
#ifndef ADVISOR_RUN_DELAY_H
#define ADVISOR_RUN_DELAY_H

#include <stdint.h>

struct block;
/* The calling thread's time counts from now on, in this block. Called before MPI_Init returns: a
 * program may forbid itself to open files afterwards. */
void run_delay_start(struct block *block);
/* A call began at block->begin, behind block->slice_end. What reading takes is in the call: kernels
 * that put preemption off do it at the end of a system call, and a core that is lost there is lost
 * after the program has come. */
void run_delay_entry(struct block *block);
/* The call at hand ended at block->last, behind block->delay_at. */
void run_delay_exit(struct block *block);
void run_delay_end(
    const struct block *block); /* by the thread that was counted; nothing for others */

#endif
