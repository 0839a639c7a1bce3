/* Jobs of so many ranks that the rows of each would make a profile too large: their sums, how ranks
 * spread around them, a summary of every rank, and the rows of some ranks: the extreme ones of each
 * measure, and some that stand for the others. */
#ifndef ADVISOR_AGGREGATING_H
#define ADVISOR_AGGREGATING_H

#include "merged.h"

enum measure {
    MEASURE_USEFUL,
    MEASURE_MPI,
    MEASURE_WAIT,
    MEASURE_LAST,
    MEASURE_INIT,
    MEASURE_SENT,
    MEASURE_MEMORY,
    MEASURE_SWITCHES,
    MEASURE_ANY,
    MEASURES
};
enum { EXTREMES = 8, MOST_KEPT = MEASURES * EXTREMES + 1 };

/* For each measure the ranks with the largest values, the largest first. Rank -1: nobody. */
struct extremes {
    struct extreme {
        double value;
        int64_t rank;
    } rows[MEASURES][EXTREMES];
};

/* All of these take tables of one rank. */
void merged_summarise(
    struct merged *merged); /* fills mpi_time, wait_time, bytes_sent; adds rows of `spread` */
void merged_aggregate(struct merged *merged, int ranks); /* its rows become rows of rank -1 */
void extremes_start(struct extremes *extremes, const struct merged *merged);
void extremes_merge(struct extremes *into, const struct extremes *from);
int extremes_have(const struct extremes *extremes, int rank); /* or rank 0 */

#endif
