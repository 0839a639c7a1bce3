/* Slices of the job's time, of which the same are chosen by all ranks without a word to each other.
 *
 * Of two slices side by side one has level 1, of two such pairs one of the two that have it has
 * level 2, and so on: by the bits of a hash, which all ranks compute alike. A slice has a level
 * with probability 2^-level, and each group of 2^level slices has one of them, so that they are
 * spread over the job. Whether a span of time touches one is told in a few steps, however long it
 * is. */
#ifndef ADVISOR_SLICES_H
#define ADVISOR_SLICES_H

#include "samples.h"

enum { SLICE_LEVELS = 31 }; /* that the upper half of a hash can tell (struct sample) */

/* Does one of the slices `first` … `last` have this level? `seed`: what the slices are of. */
int slices_touch(uint64_t seed, uint64_t first, uint64_t last, unsigned level);
/* The highest level of these slices, SLICE_LEVELS at most. */
unsigned slice_level(uint64_t seed, uint64_t slice);
unsigned slices_level(uint64_t seed, uint64_t first, uint64_t last);

/* The slice of a level among those of a group of 2^level: `group` is their number without its last
 * `level` bits. */
uint64_t slice_of_group(uint64_t seed, uint64_t group, unsigned level);

/* As reservoirs choose: of a level, and the level that a threshold asks for. */
static inline uint32_t slices_chosen(unsigned level)
{
    return 1u << (SLICE_LEVELS - level);
}
static inline unsigned slices_asked(uint64_t threshold)
{
    return threshold > 1 ? (unsigned)__builtin_clzll(threshold - 1) : SLICE_LEVELS + 1;
}

#endif
