#ifndef ADVISOR_PACKING_H
#define ADVISOR_PACKING_H

#include "stream.h"

enum { MOST_PACKED = STEPS_A_CHUNK * (sizeof(struct step) + sizeof(uint32_t)) };      /* bytes of a chunk's steps */

size_t pack_steps(uint8_t *to, const struct chunk *chunk);       /* bytes that it took */
void unpack_steps(const uint8_t *from, struct chunk *chunk);     /* `count` of them */

#endif
