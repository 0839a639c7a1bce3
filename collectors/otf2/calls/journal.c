/* Finished calls, in their order, until their wait time is known. */
#include "stream.h"
#include <stdlib.h>

enum { FIRST_ROOM = 64 };

static struct call *call_at(struct journal *journal, uint32_t i)
{
    return &journal->rows[(journal->first + i) & (journal->room - 1)];
}

/* A receive that waits is in wrong order if a message that had been sent before the awaited one is
 * received later (METRICS 3.3). */
static void find_wrong_order(struct own *own, const struct call *call, uint64_t wait)
{
    for (uint32_t i = call->sent < own->late_latest ? own->late_count : 0; i-- > 0;)
        if (call->sent < own->late[i].sent) {
            own->rank->rows[own->late[i].row].wrong_order += own->late[i].wait;
            own->late[i] = own->late[--own->late_count];
        }
    if (!wait)
        return;
    const uint32_t at =
        own->late_count < MOST_LATE ? own->late_count++ : (uint32_t)(call->enter % MOST_LATE);
    own->late[at].sent = call->late;
    own->late_latest = call->late > own->late_latest ? call->late : own->late_latest;
    own->late[at].wait = wait;
    own->late[at].row = call->row;
}

static void conclude(struct stream *stream, const struct call *call)
{
    struct row *row = &stream->rank->rows[call->row];
    const uint64_t wait = call->late ? call->late - call->enter : 0;
    row->known++;
    row->duration += call->exit - call->enter;
    row->wait += wait;
    if (wait)
        stream->worker->delay_cost[(size_t)call->who * CLASSES + call->class] += wait;
    if (call->sent != UINT64_MAX)
        find_wrong_order(stream->own, call, wait);
    slice_wait(stream, call);
}

static void finish(struct stream *stream, const struct call *call)
{
    if (!call->left) {
        conclude(stream, call);
        if (call->late && call->step)
            steps_waited(call->step, call->late - call->enter, call->who);
    }
    if (call->step)
        steps_settled(stream->trail, call->chunk);
}

static void finish_first(struct stream *stream)
{
    struct journal *journal = &stream->journal;
    finish(stream, call_at(journal, 0));
    journal->first++;
    journal->base++;
    journal->count--;
}

static COLD void widen(struct journal *journal)
{
    struct journal wide = { NULL, 0, journal->count, journal->room ? 2 * journal->room : FIRST_ROOM,
                            journal->base };
    wide.rows = xrealloc(NULL, wide.room, sizeof *wide.rows);
    for (uint32_t i = 0; i < journal->count; i++)
        wide.rows[i] = *call_at(journal, i);
    free(journal->rows);
    *journal = wide;
}

struct call *journal_add(struct stream *stream, uint32_t *number)
{
    struct journal *journal = &stream->journal;
    if (UNLIKELY(journal->count == journal->room))
        widen(journal);
    *number = journal->base + journal->count;
    return call_at(journal, journal->count++);
}

void journal_trim(struct stream *stream, uint32_t most)
{
    while (stream->journal.count && stream->steps - call_at(&stream->journal, 0)->at >= most)
        finish_first(stream);
}

static int is_done(const struct call *call)
{
    return !call->left;
}

void stream_answer(struct stream *stream, const struct outcome *outcome)
{
    struct rank *rank = stream->own->rank;
    struct journal *journal = &stream->journal;
    rank->late[outcome->class].instances += outcome->posted;
    rank->late[outcome->class].last += outcome->posted && outcome->last;
    if (outcome->call == NO_CALL || outcome->call - journal->base >= journal->count)
        return;
    struct call *call = call_at(journal, outcome->call - journal->base);
    /* Of two that were late alike the lower rank is named, in whatever order they are found. */
    if (outcome->late > call->late ||
        (outcome->late && outcome->late == call->late && outcome->who < call->who)) {
        call->late = outcome->late;
        call->who = outcome->who;
        call->class = outcome->class;
    }
    call->sent = outcome->sent < call->sent ? outcome->sent : call->sent;
    call->left--;
    while (journal->count && is_done(call_at(journal, 0)))
        finish_first(stream);
}
