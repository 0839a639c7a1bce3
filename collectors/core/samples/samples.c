#include "samples.h"
#include <math.h>
#include <string.h>

enum { EXPONENTS = 65 };

void samples_start(struct reservoir reservoirs[RESERVOIRS])
{
    static const uint32_t rooms[RESERVOIRS] = { 0,
                                                SAMPLES_WORLD,
                                                SAMPLES_OTHER,
                                                SAMPLES_MESSAGES,
                                                SAMPLES_LONG,
                                                SAMPLES_LOCKS,
                                                SAMPLES_LOCKS };
    uint32_t first = 0;
    for (int i = 0; i < RESERVOIRS; i++) {
        memset(&reservoirs[i], 0, sizeof reservoirs[i]);
        reservoirs[i].first = first;
        reservoirs[i].room = rooms[i];
        reservoirs[i].threshold = rooms[i] ? UINT64_MAX : 0;
        /* Messages and locks have no cycle that all sides know. */
        reservoirs[i].boosted = rooms[i] && i < RESERVOIR_MESSAGES ? UINT64_MAX : 0;
        first += rooms[i];
    }
}

/* Messages have no cycle: that is where their size is. */
static unsigned cycle_of(const struct sample *sample)
{
    return sample->members & SAMPLE_PAIR ? 0 : sample->cycle;
}
static uint64_t chosen_of(const struct sample *sample)
{
    return (uint64_t)sample->chosen << 32;
}
/* value < 2^exponent_of(value) */
static unsigned exponent_of(uint64_t value)
{
    return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}
static uint64_t threshold_of(unsigned exponent)
{
    return exponent >= 64 ? UINT64_MAX : 1ull << exponent;
}

/* The highest exponent, not above `limit`, below which at most `room` of the counted lie. */
static unsigned highest(const uint32_t counts[EXPONENTS], unsigned limit, uint32_t room)
{
    uint32_t below = 0;
    for (unsigned exponent = 0; exponent <= limit; exponent++) {
        below += counts[exponent];
        if (below > room)
            return exponent ? exponent - 1 : 0;
    }
    return limit;
}

/* Lowers the thresholds until a quarter of the room is free again. What they no longer keep lies
 * behind the others then. */
static void thin(struct reservoir *reservoir, struct sample *rows)
{
    uint32_t plain[EXPONENTS] = { 0 }, long_cycles[EXPONENTS] = { 0 }, kept = 0;
    const uint32_t share = reservoir->boosted ? reservoir->room / 8 * 3 : reservoir->room / 4 * 3;
    for (uint32_t i = 0; i < reservoir->count; i++)
        plain[exponent_of(chosen_of(&rows[i]))]++;
    unsigned exponent = highest(plain, exponent_of(reservoir->threshold), share);
    __atomic_store_n(&reservoir->threshold, threshold_of(exponent), __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < reservoir->count; i++)
        if (chosen_of(&rows[i]) >= reservoir->threshold)
            long_cycles[exponent_of(chosen_of(&rows[i]) >> cycle_of(&rows[i]))]++;
    if (reservoir->boosted)
        __atomic_store_n(&reservoir->boosted,
                         threshold_of(highest(long_cycles, exponent_of(reservoir->boosted), share)),
                         __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < reservoir->count; i++)
        if (sample_is_kept(reservoir, chosen_of(&rows[i]), cycle_of(&rows[i]))) {
            const struct sample other = rows[kept];
            rows[kept++] = rows[i];
            rows[i] = other;
        }
    reservoir->count = kept;
}

/* A long message is one of all messages. */
static int add_to_all(struct reservoir *long_messages, struct sample *rows,
                      const struct sample *sample)
{
    struct reservoir *messages = long_messages - (RESERVOIR_LONG_MESSAGES - RESERVOIR_MESSAGES);
    struct sample other = *sample;
    other.role &= (uint8_t)~ROLE_LONG;
    return sample->role & ROLE_LONG && sample_is_kept(messages, chosen_of(&other), 0) &&
           sample_add(messages, rows, &other);
}

static void make_room(struct reservoir *reservoir, struct sample *all)
{
    const struct sample *rows = all + reservoir->first;
    const uint32_t before = reservoir->count;
    thin(reservoir, all + reservoir->first);
    for (uint32_t i = reservoir->count; i < before; i++)
        add_to_all(reservoir, all, &rows[i]);
}

int sample_add(struct reservoir *reservoir, struct sample *all, const struct sample *sample)
{
    struct sample *rows = all + reservoir->first;
    if (__atomic_exchange_n(&reservoir->busy, 1, __ATOMIC_ACQUIRE)) {
        __atomic_fetch_add(&reservoir->lost, 1, __ATOMIC_RELAXED);
        return 0;
    }
    if (reservoir->count == reservoir->room)
        make_room(reservoir, all);
    int kept = reservoir->count < reservoir->room &&
               sample_is_kept(reservoir, chosen_of(sample), cycle_of(sample));
    if (kept)
        rows[reservoir->count++] = *sample;
    __atomic_store_n(&reservoir->busy, 0, __ATOMIC_RELEASE);
    return kept || add_to_all(reservoir, all, sample);
}

static double share_of(unsigned exponent)
{
    return exponent >= 64 ? 1 : ldexp(1, (int)exponent - 64);
}

double sample_probability(const struct reservoir *reservoir, const struct sample *sample)
{
    double plain = reservoir->threshold ? share_of(exponent_of(reservoir->threshold - 1)) : 0;
    double boosted =
        reservoir->boosted ? share_of(exponent_of(reservoir->boosted - 1) + cycle_of(sample)) : 0;
    return plain > boosted ? plain : boosted;
}

enum { STEP_BITS = 3, STEPS = 1 << STEP_BITS, LARGEST_CODE = UINT8_MAX };

/* Not by logarithms: the program may have come without a library that has them. */
uint8_t sample_size_code(uint64_t bytes)
{
    if (!bytes)
        return 0;
    const unsigned power = 63 - (unsigned)__builtin_clzll(bytes);
    const double steps = STEPS * ((double)bytes / (double)(1ull << power) - 1);
    const unsigned code = 1 + STEPS * power + (unsigned)(steps + 0.5);
    return (uint8_t)(code < LARGEST_CODE ? code : LARGEST_CODE);
}

double sample_size(unsigned code)
{
    return code ? (double)(1ull << (code - 1) / STEPS) * (1 + (double)((code - 1) % STEPS) / STEPS)
                : 0;
}
