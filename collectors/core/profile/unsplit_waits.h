/* Which waits were not split from transfers, and why: gaps of the profile. */
#ifndef ADVISOR_UNSPLIT_WAITS_H
#define ADVISOR_UNSPLIT_WAITS_H

#include "merged.h"

void unsplit_waits_gaps(struct text *text,
                        const struct merged *merged); /* what the calls themselves tell is added */

#endif
