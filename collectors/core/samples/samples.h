/* The instances of which times are kept, so that waiting can be told from moving when all ranks are
 * put together.
 *
 * All members of a communicator number its collective operations alike, and hash that number alike:
 * they keep the same instances without a word to each other. A power-of-two stride instead of a
 * hash would follow the rhythm of a program that calls four collectives in turn. What is kept of
 * the first few thousand is everything; when the room is full, the thresholds fall, and what stays
 * is a valid sample of all so far. Half of the room is for instances after long cycles (exit to
 * exit), which are long on all members alike: one delay of 200 ms in 10 000 calls would hardly ever
 * be kept otherwise. */
#ifndef ADVISOR_SAMPLES_H
#define ADVISOR_SAMPLES_H

#include <stdint.h>

enum {
    SAMPLES_WORLD = 4096,
    SAMPLES_OTHER = 2048,
    SAMPLES_MESSAGES = 2048,
    SAMPLES_LONG = 512,
    SAMPLES_LOCKS = 512,
    SAMPLE_ROWS = SAMPLES_WORLD + SAMPLES_OTHER + SAMPLES_MESSAGES + SAMPLES_LONG +
        2 * SAMPLES_LOCKS
};
/* LONG_MESSAGES: of calls that were long or came straight after a long time (events.c); what finds
 * no room there has that of all messages. LOCKS: chosen by when they are, not by a number, by
 * slices and by wide ones (slices.h). */
enum reservoir_name {
    RESERVOIR_NONE,
    RESERVOIR_WORLD,
    RESERVOIR_OTHER,
    RESERVOIR_MESSAGES,
    RESERVOIR_LONG_MESSAGES,
    RESERVOIR_LOCKS,
    RESERVOIR_WIDE_LOCKS,
    RESERVOIRS
};

/* Part of a rank in an instance. */
enum role {
    ROLE_POSTS = 1, /* others may wait for it */
    ROLE_WAITS = 2, /* it may wait for others */
    ROLE_SENDS = 4, /* it waits only if it stayed until the other came: a message may go without its
                       receiver */
    ROLE_BOUND = 8, /* its wait is an upper bound: a nonblocking scan waits for lower ranks only */
    ROLE_SHARED = 16, /* other samples have the same call: the longest wait of them is the call's */
    ROLE_WHOLE = 32,  /* the same, and the call is known only if all of them are */
    ROLE_UNRANKED = 64, /* who of its members came last says nothing of how often it does */
    ROLE_LONG = 128,    /* kept for how long it was: its partner need not have kept it */
};

enum { BEFORE = 16 };

struct sample {
    uint64_t key;  /* equal on all that took part in the instance, and on nobody else */
    uint64_t post; /* ticks: when its part was begun … */
    uint64_t enter,
        exit; /* … and the call in which it may have waited: the same call, or a later MPI_Wait */
    uint32_t chosen; /* upper half of the hash of the number of the instance: thresholds are powers
                        of two far above the lower one */
    float gap; /* ticks outside MPI before `post`; INFINITY: not known, or what came before was no
                * such call (FORMAT.md, waits); with ROLE_SHARED: ticks in the call that posted,
                * INFINITY: not known */
    uint32_t event; /* operation, class and bin as in event_key: of the call that may have waited */
    uint32_t
        members; /* ranks that take part; of a message SAMPLE_PAIR and the rank at its other end */
    int32_t check; /* equal on all: operation, or the tag of a message; -1: any. Of a collective
                      call with a gap also, << BEFORE, the operation before it */
    uint16_t communicator; /* row of its communicator; of a receive that was posted before
                              (ROLE_SHARED) when its rank was in MPI again: of SAMPLE_BACK parts
                              from `post` to `enter`; 0: not known */
    uint8_t role, cycle; /* cycle: log2 of the ticks since the last exit; of a message that was sent
                            the code of its size, 0: not known */
};

/* An instance is kept if chosen < threshold or chosen >> cycle < boosted. Both are powers of two
 * and only ever fall. */
struct reservoir {
    uint64_t threshold, boosted;
    uint64_t lost; /* that another thread was in the way of */
    uint32_t first, room, count, busy;
};

#define SAMPLE_PAIR 0x80000000u
#define SAMPLE_BACK 65535

#define SAMPLE_STEP 0x9E3779B97F4A7C15ull

static inline uint64_t sample_hash(uint64_t state)
{
    return (state ^ state >> 32) * SAMPLE_STEP;
}

/* One instance further. Threads that share a peer may lose a step; then nothing is chosen by it any
 * more (sampling_stop_all_messages). */
static inline uint64_t sample_step(uint64_t *state)
{
    uint64_t now = __atomic_load_n(state, __ATOMIC_RELAXED) + SAMPLE_STEP;
    __atomic_store_n(state, now, __ATOMIC_RELAXED);
    return now;
}

/* `state` steps with each instance; what comes back chooses. */
static inline uint64_t sample_next(uint64_t *state)
{
    return sample_hash(sample_step(state));
}

static inline unsigned sample_cycle(uint64_t ticks)
{
    return 63 - (unsigned)__builtin_clzll(ticks | 1);
}

/* Sizes in eight steps a doubling, at most one in 16 off; powers of two exactly, from 4 GiB on too
 * small. 0: no byte, or not known. */
uint8_t sample_size_code(uint64_t bytes);
double sample_size(unsigned code);

static inline int sample_is_kept(const struct reservoir *reservoir, uint64_t chosen, unsigned cycle)
{
    return chosen < __atomic_load_n(&reservoir->threshold, __ATOMIC_RELAXED) ||
           chosen >> cycle < __atomic_load_n(&reservoir->boosted, __ATOMIC_RELAXED);
}

/* `reservoirs` share `rows`; each begins where the one before ends. */
void samples_start(struct reservoir reservoirs[RESERVOIRS]);
/* Adds a copy; where there is no room, the thresholds fall, and long messages are left to the
 * reservoir before theirs. 0: not kept. */
int sample_add(struct reservoir *reservoir, struct sample *rows, const struct sample *sample);
/* How probable it was to keep this instance, by the thresholds as they are now: 0 < p <= 1. */
double sample_probability(const struct reservoir *reservoir, const struct sample *sample);

#endif
