/* The queue between workers and shards: arrivals to shards, outcomes back to workers. */
#include "matching.h"
#include "trace.h"

enum { FIRST_ROOM = 1 << 10 };

static COLD void widen_arrivals(struct arrivals *arrivals)
{
    arrivals->room = 2 * arrivals->room + FIRST_ROOM;
    arrivals->rows = xrealloc(arrivals->rows, arrivals->room, sizeof *arrivals->rows);
}

struct arrival *arrivals_add(struct arrivals *arrivals)
{
    if (UNLIKELY(arrivals->count == arrivals->room))
        widen_arrivals(arrivals);
    return &arrivals->rows[arrivals->count++];
}

static COLD void widen_outcomes(struct outcomes *outcomes)
{
    outcomes->room = 2 * outcomes->room + FIRST_ROOM;
    outcomes->rows = xrealloc(outcomes->rows, outcomes->room, sizeof *outcomes->rows);
}

void shard_answer(struct shard *shard, const struct arrival *arrival, uint64_t late, uint64_t sent,
                  int32_t who, int last)
{
    struct outcomes *to = &shard->to[arrival->worker];
    if (UNLIKELY(to->count == to->room))
        widen_outcomes(to);
    struct outcome *outcome = &to->rows[to->count++];
    outcome->late = late;
    outcome->sent = sent;
    outcome->call = arrival->call;
    outcome->stream = arrival->stream;
    outcome->who = who;
    outcome->posted = arrival->members > 1 && arrival->role & ROLE_POSTS;
    outcome->last = (uint8_t)last;
    outcome->class = arrival->class;
}
