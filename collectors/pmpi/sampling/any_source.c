/* A message is numbered among those of its sender in the order in which receives were posted, for
 * in that order messages of a sender are handed out. A receive from any source has its number when
 * its sender is known, and that of all such receives that were posted before it on its
 * communicator. Receives that name their sender are numbered when posted: which of both a message
 * belongs to is not known while one from any source is open, so neither is kept then. */
#define _GNU_SOURCE
#include "any_source.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_OPEN = 128, BUCKETS = 256, OPEN = -1 };

/* In the order in which they were posted. `source`: its rank in the communicator, or OPEN. */
struct receive {
    uintptr_t request;
    struct communicator *communicator;
    uint64_t posted, enter, exit;
    int source, tag;
    unsigned operation;
};
static struct receive *receives;
static int count;
static uint8_t in_bucket[BUCKETS]; /* requests that are open, by a hash: most requests are no
                                      receives from any source */
static unsigned busy; /* a second thread gives up: messages are not sampled any more then */

static __thread struct communicator *posting __attribute__((tls_model("initial-exec")));
static __thread struct watched {
    int index;
    uintptr_t request;
} *watched __attribute__((tls_model("initial-exec"))); /* room as in pending.c */
static __thread int watching, asked __attribute__((tls_model("initial-exec")));
static __thread MPI_Status *statuses, *room __attribute__((tls_model("initial-exec")));
static __thread int room_for __attribute__((tls_model("initial-exec")));

static int take(void)
{
    return !__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE);
}
static void leave(void)
{
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}
static uint8_t *bucket_of(uintptr_t request)
{
    return &in_bucket[(uint64_t)request * SAMPLE_STEP >> 56];
}

static void closed(struct receive *one)
{
    --*bucket_of(one->request);
    one->request = 0;
    __atomic_fetch_sub(&pending_requests, 1, __ATOMIC_RELAXED);
}

static void drop(int i)
{
    if (receives[i].request)
        closed(&receives[i]);
    receives[i].communicator->open_receives--;
    communicator_let_go(receives[i].communicator);
    memmove(&receives[i], &receives[i + 1], (size_t)(--count - i) * sizeof *receives);
}

/* Its messages have no numbers any more. */
static void give_up(struct communicator *communicator)
{
    sampling_stop_messages(communicator, UNSAMPLED_ANY_SOURCE);
    for (int i = count; i-- > 0;)
        if (receives[i].communicator == communicator)
            drop(i);
}

static int place_of(uintptr_t request)
{
    for (int i = 0; *bucket_of(request) && i < count; i++)
        if (receives[i].request == request)
            return i;
    return -1;
}

static void add(const struct block *block, struct communicator *communicator, uintptr_t request)
{
    const int before = place_of(request);
    if (before >= 0) /* we have missed its end */
        give_up(receives[before].communicator);
    if (!receives)
        receives = malloc(MOST_OPEN * sizeof *receives);
    if (!receives || count == MOST_OPEN || before >= 0) {
        give_up(communicator);
        return;
    }
    communicator_hold(communicator);
    communicator->open_receives++;
    receives[count++] = (struct receive){
        .request = request, .communicator = communicator, .posted = block->begin, .source = OPEN
    };
    ++*bucket_of(request);
    __atomic_fetch_add(&pending_requests, 1, __ATOMIC_RELAXED);
}

int any_source_posted(const struct block *block, MPI_Request request)
{
    struct communicator *communicator = posting;
    if (!communicator)
        return 0;
    posting = NULL;
    if (!take()) {
        sampling_stop_messages(communicator, UNSAMPLED_ANY_SOURCE);
        return 1;
    }
    if (__atomic_load_n(&communicator->messages, __ATOMIC_RELAXED)->room)
        add(block, communicator, (uintptr_t)request);
    leave();
    return 1;
}

int any_source_watch(int number, const MPI_Request *requests)
{
    watching = 0;
    asked = number;
    for (int i = 0; count && i < number && watching < MOST_OPEN; i++)
        if (requests[i] != MPI_REQUEST_NULL && place_of((uintptr_t)requests[i]) >= 0) {
            if (!watched && !(watched = malloc(MOST_OPEN * sizeof *watched)))
                break;
            watched[watching].index = i;
            watched[watching++].request = (uintptr_t)requests[i];
        }
    return watching;
}

MPI_Status *any_source_statuses(MPI_Status *wanted)
{
    statuses = wanted;
    if (!watching || (wanted != MPI_STATUS_IGNORE && wanted != MPI_STATUSES_IGNORE))
        return wanted;
    MPI_Status *larger = asked > room_for ? realloc(room, (size_t)asked * sizeof *room) : NULL;
    if (larger) {
        room = larger;
        room_for = asked;
    }
    statuses = asked <= room_for ? room : NULL;
    return statuses ? statuses : wanted;
}

/* NULL: nobody has told. */
static const MPI_Status *status_of(int index, int done, const int *indices)
{
    if (!statuses || done == EVERY)
        return statuses ? &statuses[index] : NULL;
    for (int i = 0; i < done; i++)
        if (indices[i] == index)
            return &statuses[i];
    return NULL;
}

/* All that are known up to the first that is open. */
static void number_known(struct communicator *communicator, struct sample *last)
{
    for (int i = 0; i < count;) {
        const struct receive *one = &receives[i];
        if (one->communicator != communicator) {
            i++;
            continue;
        }
        if (one->source == OPEN)
            return;
        sample_received_late(communicator, one->source, one->tag, one->operation, one->posted,
                             one->enter, one->exit, last);
        drop(i);
    }
}

void any_source_done(const struct block *block, unsigned operation, const MPI_Request *requests,
                     int done, const int *indices, struct sample *last)
{
    if (!watching || !take())
        return;
    for (int i = 0; i < watching; i++) {
        const int place = (uintptr_t)requests[watched[i].index] != watched[i].request
                              ? place_of(watched[i].request)
                              : -1;
        const MPI_Status *status = place >= 0 ? status_of(watched[i].index, done, indices) : NULL;
        if (place < 0)
            continue;
        struct receive *one = &receives[place];
        struct communicator *communicator = one->communicator;
        if (!status || status->MPI_SOURCE < 0) {
            give_up(communicator);
            continue;
        }
        closed(one);
        one->source = status->MPI_SOURCE;
        one->tag = status->MPI_TAG;
        one->operation = operation;
        one->enter = block->begin;
        one->exit = block->last;
        number_known(communicator, last);
    }
    if (last->exit != block->last) /* of a call before */
        last->exit = 0;
    leave();
}

void any_source_freed(MPI_Request request)
{
    if (!count || !take())
        return;
    const int place = place_of((uintptr_t)request);
    if (place >= 0)
        give_up(receives[place].communicator);
    leave();
}

/* A request: who it was is told when it is completed. */
void sample_received(struct block *block, unsigned operation, struct communicator *communicator,
                     int peer, int tag)
{
    if (peer != MPI_ANY_SOURCE) {
        sample_received_from(block, operation, communicator, peer, tag);
        return;
    }
    posting = communicator;
    block->chosen = RESERVOIR_MESSAGES;
}
