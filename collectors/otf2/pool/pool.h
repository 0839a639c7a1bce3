/* The state of one process while it reads: locations, workers, and their shared data. */
#ifndef ADVISOR_POOL_H
#define ADVISOR_POOL_H

#include "barrier.h"
#include "stream.h"
#include <pthread.h>
#include <time.h>

enum { MOST_THREADS = 64 };

struct pool {
    struct definitions definitions;
    struct rank *ranks;
    struct own *owns;
    struct stream *streams,
        **mains; /* mains: by rank, the one that stands for it; NULL: it is read elsewhere */
    size_t stream_count;
    uint32_t most_open; /* calls of a location whose partners are waited for, between rounds */
    unsigned workers, threads, processes,
        place; /* workers: of all processes; the own ones from `place` on */
    struct worker *worker;
    struct shard *shards;
    struct arrivals *arrivals; /* [from worker][to shard] */
    struct outcomes *outcomes; /* [from shard][to worker] */
    uint64_t *read;            /* events of this round, by worker */
    uint64_t limit, settled, window, done,
        timeout; /* settled: until when it is known who gave locks back */
    int finished;
    time_t spoke;
    struct barrier barrier;
    struct slicing slicing;
    struct path path;
};

void pool_start_workers(struct pool *pool, unsigned threads);
void pool_open(struct pool *pool, OTF2_Reader *reader); /* its locations */
void pool_read(struct pool *pool);                      /* all events */
void pool_collect(struct pool *pool);                   /* all results, to process 0 */

#endif
