/* Columns of rows of equal key that are neither added up nor kept: those with a star in
 * schema/tables.txt. */
#include "combine.h"
#include <math.h>

/* What the first member says goes first; a name or a free that only others saw is added. */
void own_communicators(struct profile_communicators *kept, const struct profile_communicators *more)
{
    struct profile_communicators other = *more;
    if (other.first && !kept->first) {
        other = *kept;
        *kept = *more;
    }
    kept->freed |= other.freed;
    if (kept->name == TEXT_EMPTY)
        kept->name = other.name;
}

/* One operation before is told: that of the longer time. */
static void combine_after(struct profile_waits *sum, const struct profile_waits *more)
{
    const int same = sum->after == more->after,
              longer = more->inherited + more->first_use > sum->inherited + sum->first_use;
    if (!same && !longer)
        return;
    sum->after = more->after;
    sum->inherited = more->inherited + (same ? sum->inherited : 0);
    sum->first_use = more->first_use + (same ? sum->first_use : 0);
}

/* Aggregated ranks keep the same instances and err together: their deviations are added, not their
 * squares. */
void own_waits(struct profile_waits *sum, const struct profile_waits *more)
{
    const double deviation = sum->rank < 0 ? sqrt(sum->wait_wait) + sqrt(more->wait_wait) : 0;
    combine_after(sum, more);
    sum->wait_wait = sum->rank < 0 ? deviation * deviation : sum->wait_wait + more->wait_wait;
}

/* Before `min` and `max` are combined. */
void own_rank_distribution(struct profile_rank_distribution *sum,
                           const struct profile_rank_distribution *more)
{
    sum->min_rank = more->min < sum->min ? more->min_rank : sum->min_rank;
    sum->max_rank = more->max > sum->max ? more->max_rank : sum->max_rank;
}
