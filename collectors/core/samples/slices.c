#include "slices.h"

/* Which half of a group of 2^level slices has the slice of that level. */
static uint64_t half_of(uint64_t seed, uint64_t group, unsigned level)
{
    uint64_t value = seed ^ (group << 5 | level);
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ value >> 27) * 0x94D049BB133111EBull;
    return value >> 63;
}

/* Of half of all slices the first step tells. */
unsigned slice_level(uint64_t seed, uint64_t slice)
{
    unsigned level = 0;
    while (level < SLICE_LEVELS &&
           half_of(seed, slice >> (level + 1), level + 1) == (slice >> level & 1))
        level++;
    return level;
}

uint64_t slice_of_group(uint64_t seed, uint64_t group, unsigned level)
{
    for (; level; level--)
        group = group << 1 | half_of(seed, group, level);
    return group;
}

int slices_touch(uint64_t seed, uint64_t first, uint64_t last, unsigned level)
{
    if (first == last)
        return slice_level(seed, first) >= level;
    if (level > SLICE_LEVELS || last < first)
        return 0;
    if (last - first + 1 >= 2ull << level) /* a whole group */
        return 1;
    for (uint64_t group = first >> level; group <= last >> level; group++) {
        const uint64_t slice = slice_of_group(seed, group, level);
        if (slice >= first && slice <= last)
            return 1;
    }
    return 0;
}

unsigned slices_level(uint64_t seed, uint64_t first, uint64_t last)
{
    unsigned level = slice_level(seed, last);
    while (first != last && level < SLICE_LEVELS && slices_touch(seed, first, last, level + 1))
        level++;
    return level;
}
