/* Time slices: what a thread did in each slice since the end of MPI_Init, and in each region that
 * the program marks by MPI_Pcontrol.
 *
 * Nothing is added up for this while calls are counted. When a call is the first to end after the
 * current slice, the sums of the thread's rows are compared with those at the end of the slice
 * before. There are SLICE_ROWS slices; when time goes on, two neighbours become one and the slices
 * twice as long, so that a run of any length keeps 64 to 128 of them. */
#ifndef ADVISOR_PHASES_H
#define ADVISOR_PHASES_H

#include "phase_rows.h"
#include <stdint.h>

struct block;
void phases_start(struct block *block, uint64_t origin, double seconds_per_tick);
/* The call at hand ends after the current slice; it is not counted yet. */
void phases_turn(struct block *block, unsigned operation);
/* Called, unless NULL, when the thread that began MPI goes on to another slice: not in a call, and
 * not timed. */
extern void (*phases_turned)(void) __attribute__((visibility("hidden")));
void phases_region(struct block *block, int level, uint64_t now);
/* The thread had no core for so many ticks between two moments: evenly spread, for all that is
 * known. */
void phases_delayed(struct block *block, int inside, uint64_t from, uint64_t to, uint64_t ticks);
void phases_end(struct block *block, uint64_t now); /* the last slice and region end here */

#endif
