/* Who is there, whoever comes first: a sum of marks, equal to that of ranks 0 … size-1 only if each
 * rank is there once. */
#ifndef ADVISOR_MARKS_H
#define ADVISOR_MARKS_H

#include <stdint.h>

uint64_t marks_of(int rank);
uint64_t marks_of_all(int size);

#endif
