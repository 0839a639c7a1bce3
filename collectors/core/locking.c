#include "locking.h"
#include <math.h>
#include <stdlib.h>

/* What happens to a lock, in the order in which it counts at the same time. BEGUN and OVER: of a call that gives it back. */
enum what { RETURNED, BEGUN, OVER };
struct event { double time; const struct lock_row *row; uint8_t what; };

/* The two latest moments at which different ranks began to give a lock back: one may be the own one. */
struct given { double at[2]; int32_t rank[2]; };
struct lock { struct given begun[2], over[2]; };       /* [shared] */

static const struct given never = { { -INFINITY, -INFINITY }, { -1, -1 } };

static int by_call(const void *left, const void *right)
{
    const struct lock_row *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    if (a->gives_back != b->gives_back || a->shares != b->shares)
        return a->gives_back * 2 + a->shares < b->gives_back * 2 + b->shares ? -1 : 1;
    return (a->enter > b->enter) - (a->enter < b->enter);
}

static int by_time(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->row->key != b->row->key)
        return a->row->key < b->row->key ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->what > b->what) - (a->what < b->what);
}

static void give_back(struct given *given, double at, int32_t rank)
{
    const int first = given->rank[0] == rank;
    if (at > given->at[0]) {
        if (!first) {
            given->at[1] = given->at[0];
            given->rank[1] = given->rank[0];
        }
        given->at[0] = at;
        given->rank[0] = rank;
    } else if (!first && at > given->at[1]) {
        given->at[1] = at;
        given->rank[1] = rank;
    }
}

static void find_late(const struct given *given, const struct lock_row *row, struct lock_answer *answer)
{
    for (int i = 0; i < 2; i++)
        if (given->rank[i] != row->peer && given->at[i] > answer->late) {
            answer->late = given->at[i];
            answer->who = given->rank[i];
        }
}

static struct lock_answer answer_of(const struct lock *lock, const struct lock_row *row)
{
    struct lock_answer answer = { row->peer, row->place, -1, -INFINITY };
    const struct given *given = row->gives_back ? lock->over : lock->begun;
    find_late(&given[0], row, &answer);
    if (!row->shares)
        find_late(&given[1], row, &answer);
    return answer;
}

/* What is told of a call by the one after it only was over before anything that asks: its own row is missing because it touched no time of which all is kept. */
static size_t list_events(const struct lock_row *rows, size_t count, struct event *events)
{
    size_t listed = 0;
    for (size_t i = 0; i < count; i++) {
        const struct lock_row *row = &rows[i], *previous = i ? &rows[i - 1] : NULL;
        const int told = previous && previous->key == row->key && previous->peer == row->peer && previous->gives_back && previous->shares == row->shares
            && previous->enter == row->before;
        if (row->before > -INFINITY && !told) {
            events[listed++] = (struct event){ row->before, row, BEGUN };
            events[listed++] = (struct event){ row->before, row, OVER };
        }
        if (row->gives_back && row->enter < INFINITY)
            events[listed++] = (struct event){ row->enter, row, BEGUN };
        if (row->exit < INFINITY)
            events[listed++] = (struct event){ row->exit, row, RETURNED };
    }
    return listed;
}

static size_t go_through(const struct event *events, size_t count, struct lock_answer *answers)
{
    struct lock lock = { { never, never }, { never, never } };
    size_t told = 0;
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &events[i];
        const struct lock_row *row = event->row;
        if (!i || events[i - 1].row->key != row->key)
            lock = (struct lock){ { never, never }, { never, never } };
        if (event->what == RETURNED && row->asks)
            answers[told++] = answer_of(&lock, row);
        if (event->what == BEGUN)
            give_back(&lock.begun[row->shares], event->time, row->peer);
        else if (event->what == OVER || row->gives_back)
            give_back(&lock.over[row->shares], event->what == OVER ? event->time : row->enter, row->peer);
    }
    return told;
}

size_t locks_settle(struct lock_row *rows, size_t count, struct lock_answer *answers)
{
    struct event *events = malloc((4 * count + 1) * sizeof *events);
    size_t told = 0;
    if (events && count) {
        qsort(rows, count, sizeof *rows, by_call);
        const size_t listed = list_events(rows, count, events);
        qsort(events, listed, sizeof *events, by_time);
        told = go_through(events, listed, answers);
    }
    free(events);
    return told;
}
