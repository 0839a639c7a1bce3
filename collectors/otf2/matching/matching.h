/* Matches the members of a collective call and the two ends of a message.
 *
 * Every worker reads the events of its own ranks and makes arrivals of them, each for the shard
 * that its key names. A shard keeps arrivals until all partners have come, and gives one outcome
 * for each back to the worker it came from. */
#ifndef ADVISOR_MATCHING_H
#define ADVISOR_MATCHING_H

#include <stddef.h>
#include <stdint.h>

enum role {
    ROLE_POSTS = 1,  /* others may wait for it */
    ROLE_WAITS = 2,  /* it may wait for others */
    ROLE_PREFIX = 4, /* … for lower ranks only */
    ROLE_SENDS =
        8, /* … only if it stayed until the other came: a message may go without its receiver; with
              ROLE_POSTS alone who gives data in a call with a root: gives() */
    ROLE_RECEIVES = 16,   /* the other end of it */
    ROLE_NEIGHBOURS = 32, /* … for the members of a group only */
    ROLE_LOCKS = 64,      /* a lock: see locks.c */
    ROLE_SHARES = 128,    /* … that several may hold */
};

struct arrival {
    uint64_t key;
    uint64_t post, enter, exit; /* when others need it; when and how long it may wait */
    uint32_t call, stream;      /* number of the call in its stream; NO_CALL: nobody asks */
    uint32_t members;
    int32_t rank;
    uint32_t place; /* in the communicator: for prefixes; with ROLE_NEIGHBOURS the group of those
                       that it waits for; of who gives: what it takes to hand its data to one more
                       rank at most */
    uint8_t role, class;
    uint16_t worker;
};
#define NO_CALL UINT32_MAX

struct outcome {
    uint64_t late, sent;
    uint32_t call, stream;
    int32_t who;
    uint8_t posted, last, class;
}; /* late: until when it waited, 0: not at all */

struct arrivals {
    struct arrival *rows;
    size_t count, room;
};
struct outcomes {
    struct outcome *rows;
    size_t count, room;
};

struct kept {
    struct arrival arrival;
    uint32_t next;
};
_Static_assert(sizeof(struct kept) == 64, "one cache line");
struct instance {
    uint64_t key;
    uint32_t first, seen;
};
struct shard {
    struct instance *instances; /* open addressing; `seen` 0: free */
    size_t instance_count, instance_room;
    struct kept *kept;
    uint32_t kept_count, kept_room, free;
    struct outcomes *to; /* one list for each worker */
    const struct members *groups;
    uint32_t ranks;
    struct arrivals locking; /* until all that came before them are known */
    struct lock *locks;      /* open addressing by key; `key` 0: free */
    size_t lock_count, lock_room;
};

struct arrival *arrivals_add(struct arrivals *arrivals); /* to be filled, until the next one */
void shard_start(struct shard *shard, struct outcomes *to, const struct members *groups,
                 uint32_t ranks);
void shard_add(struct shard *shard, const struct arrival *arrival);
void shard_answer(struct shard *shard, const struct arrival *arrival, uint64_t late, uint64_t sent,
                  int32_t who, int last);
void shard_lock(struct shard *shard, const struct arrival *arrival); /* locks.c */
void shard_settle(struct shard *shard, uint64_t until);

static inline int gives(const struct arrival *arrival)
{
    return (arrival->role & (ROLE_POSTS | ROLE_WAITS | ROLE_SENDS)) == (ROLE_POSTS | ROLE_SENDS);
}

static inline uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ value >> 27) * 0x94D049BB133111EBull;
    return value ^ value >> 31;
}

/* The instance number `count` of a series that a mixed number stands for. */
static inline uint64_t key_of(uint64_t series, uint64_t count)
{
    return series + count * 0x9E3779B97F4A7C15ull;
}

#endif
