/* Where threads wait for each other. */
#ifndef ADVISOR_BARRIER_H
#define ADVISOR_BARRIER_H

#include <pthread.h>

struct barrier {
    unsigned expected, arrived, turn, asleep;
    unsigned looks; /* before one falls asleep */
    pthread_mutex_t lock;
    pthread_cond_t over;
};

void barrier_begin(struct barrier *barrier, unsigned threads);
void barrier_wait(struct barrier *barrier);

#endif
