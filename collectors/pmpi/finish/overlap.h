/* Overlap: how much of a nonblocking message was transferred before it was completed (METRICS 10).
 * */
#ifndef ADVISOR_OVERLAP_H
#define ADVISOR_OVERLAP_H

#include "matching.h"
#include "merged.h"
#include "clock_map.h"

/* From the samples of which both ends are known, and messages sent for comparison. Collective over
 * the job. */
void overlap_find(struct merged *merged, const struct met_list *known, const struct clock_map *map);

#endif
