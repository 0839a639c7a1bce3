#include "marks.h"

uint64_t marks_of(int rank)
{
    uint64_t value = (uint64_t)rank + 1;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ value >> 27) * 0x94D049BB133111EBull;
    return value ^ value >> 31;
}

uint64_t marks_of_all(int size)
{
    uint64_t sum = 0;
    for (int rank = 0; rank < size; rank++)
        sum += marks_of(rank);
    return sum;
}
