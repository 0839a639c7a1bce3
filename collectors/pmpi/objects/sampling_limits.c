#include "sampling_limits.h"

void sampling_not(enum unsampled why)
{
    if (record && !(__atomic_load_n(&record->rank.unsampled, __ATOMIC_RELAXED) & why))
        __atomic_fetch_or(&record->rank.unsampled, why, __ATOMIC_RELAXED);
}

void sampling_stop_messages(struct communicator *communicator, enum unsampled why)
{
    if (__atomic_load_n(&communicator->messages, __ATOMIC_RELAXED)->room)
        sampling_not(why);
    if (record)
        __atomic_store_n(&communicator->messages, &record->reservoirs[RESERVOIR_NONE],
                         __ATOMIC_RELAXED);
}

/* Nothing is below a threshold of 0, and nothing finds room; what there is keeps the probability
 * that it had, which the other threshold, without use for messages, remembers. */
void sampling_stop_all_messages(enum unsampled why)
{
    struct reservoir *messages = record ? &record->reservoirs[RESERVOIR_MESSAGES] : NULL;
    if (!messages || !__atomic_load_n(&messages->threshold, __ATOMIC_RELAXED))
        return;
    sampling_not(why);
    for (; messages <= &record->reservoirs[RESERVOIR_LONG_MESSAGES]; messages++) {
        __atomic_store_n(&messages->boosted, messages->threshold, __ATOMIC_RELAXED);
        __atomic_store_n(&messages->room, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&messages->threshold, 0, __ATOMIC_RELAXED);
    }
}
