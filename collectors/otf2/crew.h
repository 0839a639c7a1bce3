/* All that one process has while it reads: locations, workers, and what they have in common. */
#ifndef ADVISOR_CREW_H
#define ADVISOR_CREW_H

#include "barrier.h"
#include "stream.h"
#include <pthread.h>
#include <time.h>

enum { MOST_THREADS = 64 };

struct crew {
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
        patience; /* settled: until when it is known who gave locks back */
    int finished;
    time_t spoke;
    struct barrier barrier;
    struct slicing slicing;
    struct path path;
};

void now_reads(
    const struct stream *stream,
    const char *where); /* events of it; NULL: none. where: "at" the last one, or "behind" it */
void *zeros(size_t count, size_t size);
void crew_hire(struct crew *crew, unsigned threads);
void crew_open(struct crew *crew, OTF2_Reader *reader); /* its locations */
void crew_read(struct crew *crew);                      /* all events */
void crew_collect(struct crew *crew);                   /* all results, to process 0 */

#endif
