/* One location while its events are read, and what the locations of a rank share. */
#ifndef ADVISOR_STREAM_H
#define ADVISOR_STREAM_H

#include "matching.h"
#include "trace.h"

struct counter { uint64_t key, count; };
struct request { uint64_t id, key, post; uint32_t number; uint8_t kind, class; };
enum request_kind { REQUEST_FREE, REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE };

/* What was started in this order may complete in another one; its partners count it by the order of starting. */
struct waiting { struct arrival arrival; uint64_t counter; uint8_t state; };
enum waiting_state { WAITING_OPEN, WAITING_READY, WAITING_VOID };
struct queue { struct waiting *rows; uint32_t first, count, room; uint32_t base; };

struct own {                       /* of a rank; all its locations belong to one worker */
    struct rank *rank;
    int32_t number;
    struct counter *counters;
    size_t counter_count, counter_room;
    struct request *requests;
    size_t request_count, request_room;
    struct queue receives, collectives;
    const struct stream *talker;   /* the first thread that exchanged messages */
    int threads_talk;              /* more than one did: their order is not known, and messages are not matched */
};

struct pending { uint64_t duration, wait; uint32_t row, left, next; int32_t who; uint8_t class; };

/* One end of a message or collective call that ends in the call at hand. `number` + 1: its place in a queue. */
struct part { struct arrival arrival; uint64_t counter; uint32_t number; uint8_t kind; };
enum part_kind { PART_AT_ONCE, PART_RECEIVE, PART_QUEUED_RECEIVE, PART_COLLECTIVE };

struct stream {
    OTF2_EvtReader *reader;
    const struct definitions *definitions;
    struct own *own;
    struct worker *worker;
    uint64_t location, expected, seen, time;
    uint32_t number;
    int done, called;

    uint32_t *stack;
    uint32_t depth, room, mpi_depth;     /* mpi_depth: depth in the outermost MPI call, 0 outside */
    const struct region *call;
    uint64_t enter, bytes;
    uint32_t communicator;               /* + 1 */
    uint8_t class, has_size, lost, alone;
    struct part *parts;
    size_t part_count, part_room;
    struct pending *pending;
    uint32_t pending_count, pending_room, pending_free;
};

struct worker { struct arrivals *to; uint64_t *caused; unsigned number, shards; };    /* caused: ticks, by culprit and class */

OTF2_EvtReaderCallbacks *stream_callbacks(void);
void stream_end(struct stream *stream);                               /* what is still open */
void stream_answer(struct stream *stream, const struct outcome *outcome);

/* tally.c */
uint32_t row_number(struct rank *rank, uint64_t key, uint64_t caller);
void peer_add(struct rank *rank, uint32_t peer, unsigned path, uint64_t bytes);
uint64_t count_next(struct own *own, uint64_t key);                   /* 0, 1, 2 … for each key */
struct request *request_find(struct own *own, uint64_t id);           /* NULL: none */
struct request *request_add(struct own *own, uint64_t id);
void request_remove(struct own *own, struct request *request);
uint32_t queue_add(struct queue *queue, const struct waiting *waiting);
struct waiting *queue_at(struct queue *queue, uint32_t number);       /* NULL: no longer there */
struct waiting *queue_take(struct queue *queue);                      /* the oldest, if it is not open; NULL else */

/* calls.c */
void call_begin(struct stream *stream, const struct region *region, uint64_t time);
void call_end(struct stream *stream, uint64_t time);
void part_add(struct stream *stream, const struct part *part);
void release(struct stream *stream, struct queue *queue);
void stream_send(struct stream *stream, struct arrival *arrival);

/* sizes.c */
int64_t payload(const struct stream *stream, unsigned operation, uint64_t sent, uint64_t received, const struct communicator *communicator, int is_root,
                uint32_t place);
unsigned role_of(unsigned operation, int is_root, uint64_t sent, uint64_t received);

#endif
