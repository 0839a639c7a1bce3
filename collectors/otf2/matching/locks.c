/* Who waits for a lock: passive target synchronisation.
 *
 * A call that locks waits for the last rank that began to give the lock back before it returned.
 * Libraries may put off locking until the lock is given back: then that call waits, and of two the
 * one that ends earlier had the lock earlier. */
#include "matching.h"
#include "trace.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };
/* The two latest moments at which different ranks began to give a lock back: one may be the own
 * one. */
struct given {
    uint64_t at[2];
    int32_t rank[2];
};
struct lock {
    uint64_t key;
    struct given begun[2], over[2];
}; /* [shared]: of calls that have begun, of calls that are over */
enum { BEGINS = 0 }; /* `members` of the begin of a call that gives a lock back */

static uint64_t time_of(const struct arrival *arrival)
{
    return arrival->members == BEGINS ? arrival->enter : arrival->exit;
}

static int compare(const void *left, const void *right)
{
    const struct arrival *a = left, *b = right;
    const uint64_t at = time_of(a), other = time_of(b);
    return at != other ? (at > other) - (at < other) : (a->rank > b->rank) - (a->rank < b->rank);
}

static size_t place_of(const struct lock *locks, size_t room, uint64_t key)
{
    size_t at = key & (room - 1);
    while (locks[at].key && locks[at].key != key)
        at = (at + 1) & (room - 1);
    return at;
}

static struct lock *lock_of(struct shard *shard, uint64_t key)
{
    if (2 * shard->lock_count >= shard->lock_room) {
        struct lock *old = shard->locks;
        const size_t room = shard->lock_room;
        shard->lock_room = room ? 2 * room : FIRST_ROOM;
        shard->locks = xrealloc(NULL, shard->lock_room, sizeof *old);
        memset(shard->locks, 0, shard->lock_room * sizeof *old);
        for (size_t i = 0; i < room; i++)
            if (old[i].key)
                shard->locks[place_of(shard->locks, shard->lock_room, old[i].key)] = old[i];
        free(old);
    }
    struct lock *lock = &shard->locks[place_of(shard->locks, shard->lock_room, key)];
    shard->lock_count += !lock->key;
    lock->key = key;
    return lock;
}

static void give_back(struct given *given, uint64_t at, int32_t rank)
{
    const int known = given->at[0] && given->rank[0] == rank;
    if (at > given->at[0]) {
        given->at[1] = known ? given->at[1] : given->at[0];
        given->rank[1] = known ? given->rank[1] : given->rank[0];
        given->at[0] = at;
        given->rank[0] = rank;
    } else if (!known && at > given->at[1]) {
        given->at[1] = at;
        given->rank[1] = rank;
    }
}

static void find_late(const struct given *given, int32_t rank, uint64_t *late, int32_t *who)
{
    for (int i = 0; i < 2; i++)
        if (given->at[i] > *late && given->rank[i] != rank) {
            *late = given->at[i];
            *who = given->rank[i];
        }
}

static void settle(struct shard *shard, const struct arrival *arrival)
{
    struct lock *lock = lock_of(shard, arrival->key | 1);
    const int gives_back = (arrival->role & ROLE_POSTS) != 0,
              shares = (arrival->role & ROLE_SHARES) != 0;
    const struct given *given = gives_back ? lock->over : lock->begun;
    uint64_t late = 0;
    int32_t who = NONE;
    if (arrival->members == BEGINS) {
        give_back(&lock->begun[shares], arrival->enter, arrival->rank);
        return;
    }
    find_late(&given[0], arrival->rank, &late, &who);
    if (!shares)
        find_late(&given[1], arrival->rank, &late, &who);
    shard_answer(shard, arrival,
                 late > arrival->enter ? late < arrival->exit ? late : arrival->exit : 0,
                 UINT64_MAX, who, 0);
    if (gives_back)
        give_back(&lock->over[shares], arrival->enter, arrival->rank);
}

void shard_lock(struct shard *shard, const struct arrival *arrival)
{
    struct arrival begin = *arrival;
    begin.members = BEGINS;
    if (arrival->role & ROLE_POSTS)
        *arrivals_add(&shard->locking) = begin;
    *arrivals_add(&shard->locking) = *arrival;
}

/* All that gives a lock back, begun before `until`, has come. */
void shard_settle(struct shard *shard, uint64_t until)
{
    struct arrivals *locking = &shard->locking;
    size_t kept = 0, done = 0;
    if (!locking->count)
        return;
    qsort(locking->rows, locking->count, sizeof *locking->rows, compare);
    while (done < locking->count && time_of(&locking->rows[done]) < until)
        settle(shard, &locking->rows[done++]);
    while (done < locking->count)
        locking->rows[kept++] = locking->rows[done++];
    locking->count = kept;
}
