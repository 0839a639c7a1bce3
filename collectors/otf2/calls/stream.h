/* One location while its events are read, and the data that the locations of a rank share. */
#ifndef ADVISOR_STREAM_H
#define ADVISOR_STREAM_H

#include "matching.h"
#include "trace.h"

struct counter {
    uint64_t key, count;
};
struct request {
    uint64_t id, key, post;
    uint32_t number;
    uint8_t kind, class;
};
enum request_kind { REQUEST_FREE, REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE };

/* What was started in this order may complete in another one; its partners count it by the order of
 * starting. */
struct waiting {
    struct arrival arrival;
    uint64_t counter;
    uint8_t state;
};
enum waiting_state { WAITING_OPEN, WAITING_READY, WAITING_VOID };
struct queue {
    struct waiting *rows;
    uint32_t first, count, room;
    uint32_t base;
};

enum { MOST_LATE = 16 };
struct own { /* of a rank; all its locations belong to one worker */
    struct rank *rank;
    int32_t number;
    struct counter *counters;
    size_t counter_count, counter_room;
    struct request *requests;
    size_t request_count, request_room;
    struct queue receives, collectives;
    const struct stream *talker; /* the first thread that exchanged messages */
    int threads_talk; /* more than one did: their order is not known, and messages are not matched
                       */
    struct {
        uint64_t sent, wait;
        uint32_t row;
    } late[MOST_LATE]; /* the last receives that waited */
    uint32_t late_count;
    uint64_t late_latest; /* none of them was sent later */
    struct {
        uint64_t key;
        uint8_t shared;
    } *held; /* locks */
    uint32_t held_count, held_room;
};

/* What happened on a rank, one step after the other, for the way back along the critical path: in
 * few bytes, since memory that is touched for the first time costs more than filling it. Of a call
 * the row, its enter in ticks since `base` and its length; WAIT_ROW behind it: how long it waited,
 * and for whom; UPPER_ROW and UPPER_WAIT_ROW: the upper halves of these, where one does not fit. Of
 * a gap (GAP_ROW) the region + 1 and its length. */
struct slot {
    uint32_t row, first, second;
};
enum { SLOTS_A_CHUNK = 678, SLOTS_A_STEP = 4, CHUNK_SIZE = 8192 };
enum { WAIT_ROW = UINT32_MAX - 4, UPPER_ROW, UPPER_WAIT_ROW, GAP_ROW, NO_ROW };
struct chunk {
    int64_t before, number; /* before: the one before in the file, + 1; number: where it will be
                               there, + 1, if it is full and waits for its open steps only */
    struct chunk *earlier;  /* the one before, if that is in memory */
    struct chunk *spare;    /* the next one that can be used again */
    uint64_t base;
    uint32_t count, open; /* slots; steps whose waiting is not known yet */
    uint32_t is_kept;     /* it stays in memory */
    struct slot slots[SLOTS_A_CHUNK];
};
_Static_assert(sizeof(struct chunk) <= CHUNK_SIZE, "whole pages");
struct gap {
    uint64_t ticks;
    uint32_t region;
};
struct trail {
    struct chunk *chunk, *spare;
    struct gap *gaps;
    uint32_t gap_count, gap_room;
    uint32_t next_row, next_region; /* on the way back the call passed over last */
};

/* A call that is over, until its waits are known and all waiting ones before it are done. */
struct call {
    uint64_t enter, exit;
    uint64_t late, sent; /* until when it waited, 0: not at all; when the first message that it
                            received was sent */
    struct slot *step;   /* NULL: nobody goes back along it */
    struct chunk *chunk; /* where that is */
    uint32_t row, left;  /* left: partners whose times are to come */
    uint32_t at;         /* the step that it was */
    int32_t who;
    uint8_t class;
};
enum { RECENT_ROWS = 16 }; /* a power of two */
struct recent {
    uint64_t key;
    uint32_t caller, row;
}; /* row: + 1 */
struct journal {
    struct call *rows;
    uint32_t first, count, room, base;
};

/* One end of a message or collective call that ends in the call at hand. `number` + 1: its place in
 * a queue. */
struct part {
    struct arrival arrival;
    uint64_t counter;
    uint32_t number;
    uint8_t kind;
};
enum part_kind { PART_AT_ONCE, PART_RECEIVE, PART_QUEUED_RECEIVE, PART_COLLECTIVE };

/* In the order of how often they are used: the first ones with every event. */
struct stream {
    uint64_t time;
    const struct definitions *definitions;
    uint32_t *stack;
    uint32_t depth, room, mpi_depth; /* mpi_depth: depth in the outermost MPI call, 0 outside */
    uint32_t gap_count;
    struct gap *gaps; /* since the last call; there is room for one from the beginning */
    uint64_t mark;
    struct trail *trail; /* NULL: this location does not stand for its rank */

    const struct region *call;
    uint64_t enter, ended, bytes; /* enter: also of the last call, of which `ended` is the end */
    uint32_t communicator;        /* + 1 */
    uint8_t class, has_size, lost, alone, meets, has_level,
        has_asked; /* the last call asked, and found nothing that the trace knows of */
    struct own *own;
    struct rank *rank; /* of `own` */
    uint32_t site;     /* of the call at hand: its caller if no region is */
    uint32_t steps;    /* how many there have been */
    uint32_t part_count, part_room;
    struct part *parts;
    uint64_t slice_begin, slice_span, marked_since;
    struct slice *slices; /* of its group of ranks */
    unsigned slice;       /* of the last call; slices.c */
    uint32_t marked;      /* where it is, + 1, among those of its rank; marked.c */
    struct worker *worker;
    struct journal journal;
    struct recent recent[RECENT_ROWS]; /* rows of the last calls, by operation */

    OTF2_EvtReader *reader;
    uint64_t location, expected, seen;
    uint32_t number, gap_room;
    int32_t level; /* of MPI_Pcontrol */
    int done, called;
};

/* delay_cost: ticks, by delaying rank and class; slices: [group][slice]. */
struct worker {
    struct arrivals *to;
    uint64_t *delay_cost;
    struct slice *slices;
    struct slicing slicing;
    unsigned number, shards;
};

/* The parameters that all callbacks of events begin with, and what they all do first. */
#define EVENT                                                                      \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data, \
        OTF2_AttributeList *attributes
#define BEGIN                     \
    struct stream *stream = data; \
    stream->time = time;          \
    (void)location, (void)position, (void)attributes

OTF2_EvtReaderCallbacks *stream_callbacks(void);
void stream_end(struct stream *stream); /* what is still open */
void stream_answer(struct stream *stream, const struct outcome *outcome);

/* tally.c */
uint32_t row_number(struct rank *rank, uint64_t key, uint64_t caller);
void peer_add(struct rank *rank, uint32_t peer, unsigned path, uint64_t bytes);
uint64_t count_next(struct own *own, uint64_t key);         /* 0, 1, 2 … for each key */
struct request *request_find(struct own *own, uint64_t id); /* NULL: none */
struct request *request_add(struct own *own, uint64_t id);
void request_remove(struct own *own, struct request *request);
uint32_t queue_add(struct queue *queue);                        /* an open one */
struct waiting *queue_at(struct queue *queue, uint32_t number); /* NULL: no longer there */
struct waiting *queue_take(struct queue *queue); /* the oldest, if it is not open; NULL else */

/* calls.c */
OTF2_CallbackCode put_down_gaps(struct stream *stream);
void life_begins(struct stream *stream); /* MPI_Init or MPI_Finalize */
OTF2_CallbackCode call_end(struct stream *stream,
                           uint64_t time); /* and of the region on top of the stack, which it is */
struct part *part_add(struct stream *stream); /* to be filled */
void end_trail(struct stream *stream);        /* what was after the last call */
void release(struct stream *stream, struct queue *queue);
void region_time(struct stream *stream,
                 uint64_t time); /* up to now the region on top of the stack was in */

/* The same of what is simple, where it is in one: 0 if it is not simple. */
static inline int is_time_added(struct stream *stream, uint64_t time)
{
    const uint32_t region = stream->stack[stream->depth - 1] + 1;
    struct gap *gap = stream->gaps;
    if (time > stream->mark) {
        if (stream->gap_count && gap->region != region)
            return 0;
        gap->ticks = (stream->gap_count ? gap->ticks : 0) + time - stream->mark;
        gap->region = region;
        stream->gap_count |= !stream->gap_count;
    }
    stream->mark = time;
    return 1;
}

static inline uint32_t caller_of(const struct stream *stream)
{
    return stream->mpi_depth > 1 ? stream->stack[stream->mpi_depth - 2] + 1 : stream->site;
}

/* Of a call, which is on top of the stack; the time before it has been put down. Between calls a
 * rank mostly is where it calls from: then that tells all. */
static inline OTF2_CallbackCode call_begin(struct stream *stream, const struct region *region,
                                           uint32_t site)
{
    stream->mpi_depth = stream->depth;
    stream->call = region;
    stream->enter = stream->time;
    stream->bytes = stream->communicator = 0;
    stream->class = CLASS_NONE;
    stream->has_size = stream->lost = stream->alone = stream->meets = 0;
    stream->part_count = 0;
    stream->site = site;
    if (stream->gap_count > 1 || (stream->gap_count && stream->gaps[0].region &&
                                  stream->gaps[0].region != caller_of(stream)))
        return put_down_gaps(stream);
    stream->gap_count = 0;
    return OTF2_CALLBACK_SUCCESS;
}

/* journal.c */
struct call *journal_add(struct stream *stream, uint32_t *number); /* to be filled */
void journal_trim(
    struct stream *stream,
    uint32_t most); /* calls whose partners have not come for so many steps are given up */

/* slices.c */
struct slice *slices_of(const struct worker *worker, int32_t rank);
void slice_call(struct stream *stream, uint64_t exit,
                int is_known); /* is_known: it is, that the call did not wait */
void slice_wait(struct stream *stream, const struct call *call);

/* marked.c */
void marked_user(struct stream *stream, uint32_t region, uint64_t time, int enters);
void marked_level(struct stream *stream, int32_t level, uint64_t time);
void marked_end(struct stream *stream, uint64_t time);

/* metered.c */
void metered_begin(struct stream *stream,
                   uint64_t time); /* what was counted before, in MPI_Init, is not of the run */
void metered_end(struct stream *stream);
void metric_callbacks(OTF2_EvtReaderCallbacks *calls);

/* steps.c */
int steps_open(const char *folder); /* 0: they cannot be kept */
int steps_failed(void);             /* some could not */
struct trail *steps_trail(void);
void steps_add(struct trail *trail, uint32_t row, uint64_t enter, uint64_t exit);
struct slot *steps_add_wait(struct trail *trail, uint32_t row, uint64_t enter, uint64_t exit,
                            int32_t who); /* … that may have waited */
void steps_add_gap(struct trail *trail, const struct gap *gap, uint64_t time);
void steps_waited(struct slot *step, uint64_t ticks, int32_t who); /* at most as long as it took */
void steps_settled(struct trail *trail,
                   struct chunk *chunk); /* one of its open steps is so no longer */
int steps_before(struct trail *trail);   /* the chunk before; 0: there is none */

/* path.c */
struct path_place {
    int32_t rank;
    uint64_t time;
    uint32_t still;
};
void path_add(struct path *path, struct path_row row);
void path_walk(struct path *path, struct stream *const *mains, uint64_t begin,
               struct path_place *at);
struct arrival *stream_send(struct stream *stream,
                            uint64_t key); /* to be filled, until the next one */

/* sizes.c */
int64_t payload(const struct stream *stream, unsigned operation, uint64_t sent, uint64_t received,
                const struct communicator *communicator, int is_root, uint32_t place);
unsigned role_of(unsigned operation, int is_root, uint64_t sent, uint64_t received);

#endif
