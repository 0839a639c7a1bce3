/* How long a message takes when nothing is in its way: measured when the job is over, between two
 * ranks that had messages to each other. */
#ifndef ADVISOR_REFERENCE_H
#define ADVISOR_REFERENCE_H

#include <stddef.h>

enum { REFERENCES = 7 };
/* Seconds for a message of reference_bytes(i) bytes, one way; 0: not measured. At least: of the
 * same bytes again and again. At most: after both ranks have done something else for a while. */
struct reference {
    double least[REFERENCES], most[REFERENCES];
};

size_t reference_bytes(int i);
/* Both ranks call it; what comes back at `leads` is measured, at the other empty. Sizes up to the
 * first that is not below `largest` bytes, which counts at `leads`. Some milliseconds. */
struct reference reference_measure(int partner, int leads, double largest);
/* Samples know sizes to one part in 16: one as near to a size that is measured is that size, so
 * that no larger one matters. */
double reference_size(double bytes);
/* Of `bytes` bytes: on lines through the sizes that were measured, of which the last goes on; below
 * the smallest the time of that. 0: not known. */
double reference_time(const double times[REFERENCES], double bytes);

#endif
