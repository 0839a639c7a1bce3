/* How long a message takes when nothing is in its way: measured when the job is over, between two ranks that had messages to each other. */
#ifndef ADVISOR_REFERENCE_H
#define ADVISOR_REFERENCE_H

#include <stddef.h>

enum { REFERENCES = 7 };
/* Seconds for a message of reference_bytes(i) bytes, one way; 0: not measured. */
struct reference { double time[REFERENCES]; };

size_t reference_bytes(int i);
/* Both ranks call it; what comes back at `leads` is measured, at the other empty. Some milliseconds. */
struct reference reference_measure(int partner, int leads);
/* Of `bytes` bytes: on lines through the sizes that were measured, of which the last goes on; below the smallest the time of that. 0: not known. */
double reference_time(const struct reference *reference, double bytes);

#endif
