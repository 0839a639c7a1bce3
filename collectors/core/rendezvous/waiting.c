#define _GNU_SOURCE
#include "waiting.h"
#include "clock.h"
#include <time.h>

double waiting_clock(void)
{
    return (double)clock_monotonic() * 1e-9;
}

void waiting_pause(int turn)
{
    long nanoseconds = 50000L << (turn < 8 ? turn : 8);
    nanosleep(&(struct timespec){ 0, nanoseconds }, NULL);
}
