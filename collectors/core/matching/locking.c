#include "locking.h"
#include <math.h>
#include <stdlib.h>

/* What happens to a lock, in the order in which it counts at the same time. HELD: the epoch of a
 * flush begins to end. BEGUN and OVER: of a call that gives it back. */
enum what { RETURNED, HELD, BEGUN, OVER };
struct event {
    double time;
    const struct lock_row *row;
    uint8_t what;
};

/* The two latest moments at which different ranks began to give a lock back: one may be the own
 * one. */
struct given {
    double at[2];
    int32_t rank[2];
};
struct lock {
    struct given begun[2], over[2];
}; /* [shared] */

static const struct given never = { { -INFINITY, -INFINITY }, { -1, -1 } };

static int part_of(const struct lock_row *row)
{
    return row->within * 4 + row->gives_back * 2 + row->shares;
}

static int by_call(const void *left, const void *right)
{
    const struct lock_row *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    if (part_of(a) != part_of(b))
        return part_of(a) < part_of(b) ? -1 : 1;
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

static void find_late(const struct given *given, const struct lock_row *row,
                      struct lock_answer *answer)
{
    for (int i = 0; i < 2; i++)
        if (given->rank[i] != row->peer && given->at[i] > answer->late) {
            answer->late = given->at[i];
            answer->who = given->rank[i];
        }
}

static struct lock_answer answer_of(const struct lock *lock, const struct lock_row *row)
{
    const struct lock_answer nobody = { row->peer, row->place, -1, -INFINITY };
    struct lock_answer answer = nobody;
    const struct given *given = row->gives_back || row->within ? lock->over : lock->begun;
    find_late(&given[0], row, &answer);
    if (!row->shares)
        find_late(&given[1], row, &answer);
    return row->within && answer.late > row->exit ? nobody : answer;
}

/* When the epoch of a flush begins to end; INFINITY: never. */
static double end_of(const struct lock_row *rows, size_t count, const struct lock_row *flush)
{
    const struct lock_row wanted = { .peer = flush->peer,
                                     .key = flush->key,
                                     .enter = flush->exit,
                                     .gives_back = 1,
                                     .shares = flush->shares };
    size_t first = 0, last = count;
    while (first < last) {
        const size_t middle = (first + last) / 2;
        if (by_call(&rows[middle], &wanted) < 0)
            first = middle + 1;
        else
            last = middle;
    }
    return first < count && rows[first].key == wanted.key && rows[first].peer == wanted.peer &&
                   part_of(&rows[first]) == part_of(&wanted)
               ? rows[first].enter
               : INFINITY;
}

/* What is told of a call by the one after it only was over before anything that asks: its own row
 * is missing because it touched no time of which all is kept. */
static size_t list_events(const struct lock_row *rows, size_t count, struct event *events)
{
    size_t listed = 0;
    for (size_t i = 0; i < count; i++) {
        const struct lock_row *row = &rows[i], *previous = i ? &rows[i - 1] : NULL;
        const int told = previous && previous->key == row->key && previous->peer == row->peer &&
                         previous->gives_back && previous->shares == row->shares &&
                         previous->enter == row->before;
        if (row->before > -INFINITY && !told) {
            events[listed++] = (struct event){ row->before, row, BEGUN };
            events[listed++] = (struct event){ row->before, row, OVER };
        }
        if (row->within) {
            events[listed++] = (struct event){ end_of(rows, count, row), row, HELD };
            continue;
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
        if ((event->what == RETURNED || event->what == HELD) && row->asks)
            answers[told++] = answer_of(&lock, row);
        if (event->what == BEGUN)
            give_back(&lock.begun[row->shares], event->time, row->peer);
        else if (event->what == OVER || row->gives_back)
            give_back(&lock.over[row->shares], event->what == OVER ? event->time : row->enter,
                      row->peer);
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
