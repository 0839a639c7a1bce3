/* Waits of METRICS 3.3, from the times of all partners. */
#include "matching.h"
#include "trace.h"
#include <stdlib.h>
#include <string.h>

/* Arrivals that a shard keeps at most, some 72 bytes each: partners that never come must not take
 * all memory. */
enum { MOST_KEPT = 1 << 22, FIRST_ROOM = 1 << 10 };

void shard_start(struct shard *shard, struct outcomes *to, const struct members *groups,
                 uint32_t ranks)
{
    *shard =
        (struct shard){ .to = to, .groups = groups, .ranks = ranks, .instance_room = FIRST_ROOM };
    shard->instances = xrealloc(NULL, FIRST_ROOM, sizeof *shard->instances);
    memset(shard->instances, 0, FIRST_ROOM * sizeof *shard->instances);
}

static size_t place_of(const struct shard *shard, uint64_t key)
{
    size_t at = key & (shard->instance_room - 1);
    while (shard->instances[at].seen && shard->instances[at].key != key)
        at = (at + 1) & (shard->instance_room - 1);
    return at;
}

static COLD void widen(struct shard *shard)
{
    struct instance *old = shard->instances;
    size_t room = shard->instance_room;
    shard->instance_room = 2 * room;
    shard->instances = xrealloc(NULL, 2 * room, sizeof *old);
    memset(shard->instances, 0, 2 * room * sizeof *old);
    for (size_t i = 0; i < room; i++)
        if (old[i].seen)
            shard->instances[place_of(shard, old[i].key)] = old[i];
    free(old);
}

/* Open addressing without marks for what was removed: those behind that were pushed on move back.
 */
static void remove_instance(struct shard *shard, size_t at)
{
    const size_t mask = shard->instance_room - 1;
    size_t next = at;
    for (;;) {
        next = (next + 1) & mask;
        if (!shard->instances[next].seen)
            break;
        if (((next - shard->instances[next].key) & mask) < ((next - at) & mask))
            continue;
        shard->instances[at] = shard->instances[next];
        at = next;
    }
    shard->instances[at].seen = 0;
    shard->instance_count--;
}

/* Until when it waited for who posted at `late`; 0: not at all. Never longer than the call. */
static uint64_t until(const struct arrival *arrival, uint64_t late)
{
    if (late <= arrival->enter || arrival->exit <= arrival->enter ||
        !(arrival->role & ROLE_WAITS) || (arrival->role & ROLE_SENDS && arrival->exit < late))
        return 0;
    return late < arrival->exit ? late : arrival->exit;
}

/* … and who gives, for the last one that came for its data, `taker`, as the collector has it
 * (pmpi/finish/wait_calls.c). */
static void answer_giver(struct shard *shard, const struct arrival *arrival,
                         const struct arrival *taker, int last)
{
    const uint64_t busy = (uint64_t)arrival->place * (arrival->members - 2);
    const int stayed = taker && arrival->exit >= taker->enter && taker->enter > busy &&
                       taker->enter - busy > arrival->enter;
    shard_answer(shard, arrival, stayed ? taker->enter - busy : 0, UINT64_MAX,
                 stayed ? taker->rank : NONE, last);
}

static int compare_places(const void *left, const void *right)
{
    const struct arrival *a = *(const struct arrival *const *)left,
                         *b = *(const struct arrival *const *)right;
    return (a->place > b->place) - (a->place < b->place);
}

/* Each waits for those below it. */
static void judge_prefix(struct shard *shard, const struct instance *instance)
{
    const struct arrival **all = xrealloc(NULL, instance->seen, sizeof *all), *latest = NULL;
    uint32_t count = 0;
    for (uint32_t at = instance->first; count < instance->seen; at = shard->kept[at].next)
        all[count++] = &shard->kept[at].arrival;
    qsort(all, count, sizeof *all, compare_places);
    const struct arrival **before = xrealloc(NULL, count, sizeof *before);
    for (uint32_t i = 0; i < count; i++) {
        before[i] = latest;
        if (i + 1 < count && (!latest || all[i]->post > latest->post))
            latest = all[i];
    }
    for (uint32_t i = 0; i < count; i++)
        shard_answer(shard, all[i], before[i] ? until(all[i], before[i]->post) : 0, UINT64_MAX,
                     before[i] ? before[i]->rank : NONE, all[i] == latest);
    free(before);
    free(all);
}

/* Each waits for those that it receives from. */
static void judge_neighbours(struct shard *shard, const struct instance *instance)
{
    const uint32_t ranks = shard->ranks;
    const struct arrival **all = xrealloc(NULL, ranks, sizeof *all);
    uint32_t at = instance->first;
    memset(all, 0, ranks * sizeof *all);
    for (uint32_t i = 0; i < instance->seen; i++, at = shard->kept[at].next)
        all[shard->kept[at].arrival.rank] = &shard->kept[at].arrival;
    at = instance->first;
    for (uint32_t i = 0; i < instance->seen; i++, at = shard->kept[at].next) {
        const struct arrival *arrival = &shard->kept[at].arrival, *latest = NULL;
        const struct members *from = &shard->groups[arrival->place];
        for (uint32_t k = 0; k < from->count; k++) {
            const struct arrival *other = from->ranks[k] < ranks ? all[from->ranks[k]] : NULL;
            if (other && (!latest || other->post > latest->post))
                latest = other;
        }
        shard_answer(shard, arrival, latest ? until(arrival, latest->post) : 0, UINT64_MAX,
                     latest ? latest->rank : NONE, 0);
    }
    free(all);
}

static void judge(struct shard *shard, const struct instance *instance)
{
    const struct arrival *latest = NULL, *taker = NULL;
    uint32_t at = instance->first;
    if (shard->kept[at].arrival.role & ROLE_PREFIX) {
        judge_prefix(shard, instance);
        return;
    }
    if (shard->kept[at].arrival.role & ROLE_NEIGHBOURS) {
        judge_neighbours(shard, instance);
        return;
    }
    for (uint32_t i = 0; i < instance->seen; i++, at = shard->kept[at].next) {
        const struct arrival *arrival = &shard->kept[at].arrival;
        if (arrival->role & ROLE_POSTS &&
            (!latest || arrival->post > latest->post ||
             (arrival->post == latest->post && arrival->rank < latest->rank)))
            latest = arrival;
        if (arrival->role & ROLE_WAITS && (!taker || arrival->enter > taker->enter))
            taker = arrival;
    }
    at = instance->first;
    for (uint32_t i = 0; i < instance->seen; i++, at = shard->kept[at].next) {
        const struct arrival *arrival = &shard->kept[at].arrival;
        if (gives(arrival)) {
            answer_giver(shard, arrival, taker, arrival == latest);
            continue;
        }
        shard_answer(shard, arrival, latest ? until(arrival, latest->post) : 0, UINT64_MAX,
                     latest ? latest->rank : NONE, arrival == latest);
    }
}

static int posts_later(const struct arrival *arrival, const struct arrival *other)
{
    return !(other->role & ROLE_POSTS) || arrival->post > other->post ||
           (arrival->post == other->post && arrival->rank < other->rank);
}

/* The same of two: most are the ends of a message, and the second one need not be kept. */
static void judge_pair(struct shard *shard, const struct arrival *first,
                       const struct arrival *second)
{
    const struct arrival *latest = second->role & ROLE_POSTS && posts_later(second, first) ? second
                                   : first->role & ROLE_POSTS                              ? first
                                                                                           : NULL;
    const uint64_t sent = first->role & ROLE_RECEIVES    ? second->post
                          : second->role & ROLE_RECEIVES ? first->post
                                                         : UINT64_MAX;
    const uint64_t late = latest ? latest->post : 0;
    const int32_t who = latest ? latest->rank : NONE;
    const struct arrival *both[] = { second, first };
    for (int i = 0; i < 2; i++)
        if (gives(both[i]))
            answer_giver(shard, both[i], both[!i]->role & ROLE_WAITS ? both[!i] : NULL,
                         both[i] == latest);
        else
            shard_answer(shard, both[i], until(both[i], late),
                         both[i]->role & ROLE_RECEIVES ? sent : UINT64_MAX, who, both[i] == latest);
}

static void forget(struct shard *shard, const struct instance *instance)
{
    uint32_t at = instance->first;
    for (uint32_t i = 0; i < instance->seen; i++) {
        uint32_t next = shard->kept[at].next;
        shard->kept[at].next = shard->free;
        shard->free = at + 1;
        at = next;
    }
}

static uint32_t keep(struct shard *shard, const struct arrival *arrival, uint32_t next)
{
    uint32_t at = shard->free ? shard->free - 1 : shard->kept_count;
    if (shard->free)
        shard->free = shard->kept[at].next;
    else if (shard->kept_count++ == shard->kept_room) {
        shard->kept_room = 2 * shard->kept_room + FIRST_ROOM;
        shard->kept = xrealloc(shard->kept, shard->kept_room, sizeof *shard->kept);
    }
    shard->kept[at].arrival = *arrival;
    shard->kept[at].next = next;
    return at;
}

static COLD void drop_all(struct shard *shard)
{
    memset(shard->instances, 0, shard->instance_room * sizeof *shard->instances);
    shard->instance_count = shard->kept_count = shard->free = 0;
}

void shard_add(struct shard *shard, const struct arrival *arrival)
{
    if (arrival->role & ROLE_LOCKS) {
        shard_lock(shard, arrival);
        return;
    }
    if (shard->kept_count >= MOST_KEPT && !shard->free)
        drop_all(shard);
    if (UNLIKELY(2 * shard->instance_count >= shard->instance_room))
        widen(shard);
    size_t at = place_of(shard, arrival->key);
    struct instance *instance = &shard->instances[at];
    if (!instance->seen) {
        *instance = (struct instance){ arrival->key, 0, 0 };
        shard->instance_count++;
    }
    if (instance->seen == 1 && arrival->members == 2 &&
        !(arrival->role & (ROLE_PREFIX | ROLE_NEIGHBOURS))) {
        judge_pair(shard, &shard->kept[instance->first].arrival, arrival);
        forget(shard, instance);
        remove_instance(shard, at);
        return;
    }
    instance->first = keep(shard, arrival, instance->first);
    if (++instance->seen < arrival->members)
        return;
    judge(shard, instance);
    forget(shard, instance);
    remove_instance(shard, at);
}
