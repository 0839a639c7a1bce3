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

enum { MOST_LATE = 16 };
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
    struct { uint64_t sent, wait; uint32_t row; } late[MOST_LATE];      /* the last receives that waited */
    uint32_t late_count;
    struct { uint64_t key; uint8_t shared; } *held;                     /* locks */
    uint32_t held_count, held_room;
};

/* A call that is over, until its waits are known and all before it are done; or time in a region between calls. */
struct call {
    uint64_t enter, exit;          /* of a gap: exit is the time in it */
    uint64_t late, sent;           /* until when it waited, 0: not at all; when the first message that it received was sent */
    uint32_t row, left;            /* row: of a gap the region, + 1; left: partners whose times are to come */
    int32_t who;
    uint8_t kind, class;
};
enum call_kind { CALL_COUNTED, CALL_JUDGED, CALL_GAP };
enum { NO_ROW = UINT32_MAX };
enum { RECENT_ROWS = 16 };     /* a power of two */
struct recent { uint64_t key, caller; uint32_t row; };      /* row: + 1 */
struct journal { struct call *rows; uint32_t first, count, room, base; };
struct gap { uint64_t ticks; uint32_t region; };

/* What happened on a rank, one step after the other, for the way back along the critical path. */
struct step { uint64_t enter, exit, late; int32_t who; uint32_t row; };      /* row GAP_ROW: of a gap, who: region + 1 */
enum { STEPS_A_CHUNK = 255, GAP_ROW = UINT32_MAX - 1 };
struct chunk { int64_t before; uint64_t count; struct step steps[STEPS_A_CHUNK]; };
struct trail { struct chunk *chunk; struct gap *gaps; uint32_t gap_count, gap_room, region; };

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
    uint32_t site;                       /* of the call at hand: its caller if no region is */
    uint64_t enter, bytes;
    uint32_t communicator;               /* + 1 */
    uint8_t class, has_size, lost, alone, meets, has_level;
    int32_t level;                       /* of MPI_Pcontrol */
    struct part *parts;
    size_t part_count, part_room;
    struct recent recent[RECENT_ROWS];   /* rows of the last calls, by operation */
    struct journal journal;
    struct trail *trail;                 /* NULL: this location does not stand for its rank */
    struct gap *gaps;                    /* since the last call */
    uint32_t gap_count, gap_room;
    uint64_t mark, slice_begin, slice_span, marked_since;
    uint32_t marked;                     /* where it is, + 1, among those of its rank; marked.c */
    unsigned slice;                      /* of the last call; slices.c */
    struct slice *slices;                /* of its group of ranks */
};

/* caused: ticks, by culprit and class; slices: [group][slice]. */
struct worker { struct arrivals *to; uint64_t *caused; struct slice *slices; struct slicing slicing; unsigned number, shards; };

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
void end_trail(struct stream *stream);                      /* what was after the last call */
void release(struct stream *stream, struct queue *queue);
void region_time(struct stream *stream, uint64_t time);     /* up to now the region on top of the stack was in */

/* journal.c */
uint32_t journal_add(struct stream *stream, const struct call *call);
void journal_trim(struct stream *stream, uint32_t most);   /* calls whose partners do not come are given up */

/* slices.c */
struct slice *slices_of(const struct worker *worker, int32_t rank);
void slice_call(struct stream *stream, unsigned kind, uint64_t enter, uint64_t exit, uint64_t bytes);
void slice_wait(struct stream *stream, const struct call *call);

/* marked.c */
void marked_user(struct stream *stream, uint32_t region, uint64_t time, int enters);
void marked_level(struct stream *stream, int32_t level, uint64_t time);
void marked_end(struct stream *stream, uint64_t time);

/* path.c */
int path_open(const char *folder);                         /* 0: steps cannot be kept */
struct trail *path_trail(void);
void path_step(struct stream *stream, const struct step *step);
struct path_place { int32_t rank; uint64_t time; uint32_t still; };
void path_add(struct path *path, struct path_row row);
void path_walk(struct path *path, struct stream *const *mains, uint64_t begin, struct path_place *at);
void stream_send(struct stream *stream, struct arrival *arrival);

/* sizes.c */
int64_t payload(const struct stream *stream, unsigned operation, uint64_t sent, uint64_t received, const struct communicator *communicator, int is_root,
                uint32_t place);
unsigned role_of(unsigned operation, int is_root, uint64_t sent, uint64_t received);

#endif
