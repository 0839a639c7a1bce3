/* What processor and system count for the thread that began MPI, inside MPI calls and outside: off
 * unless asked for.
 *
 * The path of a call knows nothing of this. To read at the exit of a call, its slice of time is
 * said to have ended, so that it takes the slow path; to read at the next entry, `current` stays
 * NULL, so that the call asks call_begin_slow. That is done for some calls in a row, a window, then
 * not for a while. What a window counted stands for the time since the window before: its values
 * are multiplied by that time over its own, and added up. Where calls are rare, windows follow each
 * other without a gap. */
#ifndef ADVISOR_COUNTERS_H
#define ADVISOR_COUNTERS_H

#include "counter_rows.h"
#include <stddef.h>

struct block;
/* Who else wants to know what was counted since the start, when a call began or ended that is over
 * now: set where events are kept. */
extern void (*counters_told)(const struct block *block, int count, const uint64_t *values,
                             int at_begin);
/* Finds the counters that ADVISOR_COUNTERS asks for: after MPI_Init, some milliseconds. What is
 * missing is in the record, with reasons. */
void counters_find(void);
/* The thread may be counted from now on. */
void counters_start(struct block *block);
/* Exit of a call that ended after block->reading_at; sets `current`. */
void counters_exit(struct block *block);
/* Entry of a call while `current` is NULL: 1 if it is because of us, and the thread may be counted.
 */
int counters_enter(struct block *block);
void counters_end(
    const struct block *block); /* by the thread that was counted; nothing for others */

/* counter_sources.c: fills names, returns their number; reads them in that order. */
int counter_sources_open(const char *wish, struct counter_row *rows, char *missing, size_t size);
void counter_sources_read(uint64_t values[COUNTER_ROWS]);

#endif
