/* The ring of events in the file of this rank: when it is written to. What is written to it:
 * tracing.h. */
#ifndef ADVISOR_RING_H
#define ADVISOR_RING_H

#include "layout.h"

int ring_prepare(void); /* 0: there is no room */
void ring_open(struct trace_header *made);
double
ring_calibrate(void); /* seconds that an event takes, so that the report says what measuring took */
void ring_keep(double from,
               double to); /* calls of that time only: seconds after MPI_Init; to 0: to the end */
void ring_record(int on);
void ring_forget(void); /* in a forked child */

#endif
