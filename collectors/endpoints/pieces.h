/* Pieces of one reduction, each on a communicator of its own, and the threads that reduce them. */
#ifndef ADVISOR_ENDPOINTS_PIECES_H
#define ADVISOR_ENDPOINTS_PIECES_H

#include "library.h"

enum { MOST_PIECES = 8 };

struct piece {
    const void *send; /* may be MPI_IN_PLACE */
    void *receive;
    long long count;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm comm;
    int code; /* what MPI returned */
};

extern __thread int inside
    __attribute__((visibility("hidden"))); /* what the library calls by itself stays whole */
void piece_reduce(struct piece *piece);

/* In MPI_Init: which cores threads may use. */
void threads_begin(void);
/* 1 if `helpers` threads are there to help; they are started once and sleep between calls. */
int threads_ready(int helpers);
/* The caller takes the first piece and a thread each of the others. If the threads are at work for
 * another caller, it takes all. */
void threads_reduce(struct piece *pieces, int count);
void threads_leave(void);

#endif
