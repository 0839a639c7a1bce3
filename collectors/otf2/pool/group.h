/* The processes that read one archive together: one alone, or several under MPI, each with a part
 * of the ranks. */
#ifndef ADVISOR_GROUP_H
#define ADVISOR_GROUP_H

#include "matching.h"

void group_begin(void);
unsigned group_size(void);
unsigned group_place(void);
void group_end(void);

uint64_t group_sum(uint64_t value);
uint64_t group_least(uint64_t value);

/* lists[i] goes to process i, and what came from process i is in from[i] afterwards, in place of
 * what was there. */
void group_exchange(struct arrivals *lists, struct arrivals *from, size_t stride);
void group_exchange_outcomes(struct outcomes *lists, struct outcomes *from, size_t stride);

/* A piece of memory to another process, and from it: the receiver knows how long it is. */
void group_send(const void *data, size_t size, unsigned to);
void group_receive(void *data, size_t size, unsigned from);
/* Word of where the critical path goes on: it comes from anybody, and between other pieces. */
void group_hand_on(const void *data, size_t size, unsigned to);
void group_take_over(void *data, size_t size);

#endif
