#include "samples_by_time.h"

/* Merged by time: each table holds them in the order in which calls ended, which is that in which
 * they began unless threads or requests are in the way. */
void samples_by_time(visit *visit, void *with)
{
    enum { TABLES = RESERVOIR_LONG_MESSAGES - RESERVOIR_WORLD + 1 };
    const struct sample *at[TABLES], *end[TABLES];
    int first = 0;
    for (int i = 0; i < TABLES; i++) {
        at[i] = &record->samples[record->reservoirs[RESERVOIR_WORLD + i].first];
        end[i] = at[i] + record->reservoirs[RESERVOIR_WORLD + i].count;
    }
    while (first >= 0) {
        first = -1;
        for (int i = 0; i < TABLES; i++)
            if (at[i] < end[i] && (first < 0 || at[i]->enter < at[first]->enter))
                first = i;
        if (first >= 0)
            visit(at[first]++, with);
    }
}
