/* From samples that all members have given to calls of this rank: waited, unresolved, could have
 * been hidden, follows on another. */
#include "job.h"
#include "lock_waits.h"
#include "samples_by_time.h"
#include <math.h>
#include <stdlib.h>

/* Of the time in a call that completes a request: after the last one had posted its part data could
 * move, and this rank did something else until it called. What it then still took could have been
 * over, at most. */
static double hideable_of(double late, double enter, double exit)
{
    const double before = enter - late, within = exit - (late > enter ? late : enter),
                 least = before < within ? before : within;
    return least > 0 ? least : 0;
}

/* Of a wait, what was there already when both this rank and those that it waited for left their
 * previous call, among the same members: nobody could leave that one before all had come, so that
 * without such calls the rank would wait for the difference of the gaps only. Of a collective call
 * the difference is exact, and what a rank would wait more than it did is taken off; a sender may
 * have left early, and then the difference is the most that it can be. */
static double propagated_of(const struct sample *sample, const struct met *met, double wait,
                            double rate)
{
    if (!isfinite(met->gap) || !isfinite(sample->gap) || sample->role & ROLE_SENDS)
        return 0;
    const double without = (double)met->gap - (double)sample->gap * rate,
                 rest = wait - (without > 0 ? without : 0);
    return sample->members & SAMPLE_PAIR && rest < 0 ? 0 : rest;
}

/* The operation before, if it was another one. */
static uint16_t after_of(const struct sample *sample, const struct met *met)
{
    return isfinite(met->gap) && isfinite(sample->gap) &&
                   met->before != key_operation(sample->event)
               ? (uint16_t)met->before
               : 0;
}

static uint64_t event_key_of(const struct sample *sample)
{
    return sample->event |
           key_of_communicator(sample->members & SAMPLE_PAIR ? 0 : sample->communicator);
}

/* Of two samples of one call the longer wait is the call's, or else the one that could begin last;
 * it is known only if all are that must be. */
static void unite_calls(struct call *into, const struct call *from)
{
    struct call other = *from;
    if (from->wait > into->wait ||
        (from->wait == into->wait && from->overlappable < into->overlappable)) {
        other = *into;
        *into = *from;
    }
    if (other.whole && other.probability < into->probability)
        into->probability = other.probability;
    into->whole |= other.whole;
}

/* Samples of one call, such as the messages of one MPI_Waitall, come after each other. */
static void put_call(struct calls *calls, const struct call *call)
{
    struct call *last = calls->count ? &calls->rows[calls->count - 1] : NULL;
    if (last && last->enter == call->enter)
        unite_calls(last, call);
    else
        calls->rows[calls->count++] = *call;
}

/* Seconds that a message may be underway, and bytes a second at least, inside a host and between
 * two: what a slow network does (1 Gbit/s). */
#define SETTLED   50e-6
#define NEAR_RATE 1e9
#define FAR_RATE  1e8

/* Until when the root of a broadcast waited for those that it sends to, or who sends in a gather
 * for the root: it stayed until the last of them had come. Before, it may have been busy with the
 * others: what that takes at most is no waiting. */
static double taken_for(const struct sample *sample, const struct met *met)
{
    const double rate = met->hosts == UINT32_MAX ? FAR_RATE : NEAR_RATE,
                 bytes = ldexp(1, key_bin(sample->event));
    return met->back - (met->members - 2.0) * (SETTLED + bytes / rate);
}

/* Until when the sender of a message waited whose receive was posted before, by a rank that did
 * something else then: long messages move only while both ends are in MPI, where nobody else moves
 * them. It was so if the message could have been there, and was so only once its receiver had come
 * back. -INFINITY: it did not wait for that. */
static double back_for(const struct sample *sample, const struct met *met, double exit)
{
    if ((sample->role & (ROLE_SENDS | ROLE_SHARED)) != ROLE_SENDS || exit < met->back)
        return -INFINITY;
    if (!(sample->members & SAMPLE_PAIR))
        return taken_for(sample, met);
    const double rate = met->hosts == UINT32_MAX ? FAR_RATE : NEAR_RATE;
    return met->back - met->late > SETTLED + sample_size(met->size) / rate ? met->back : -INFINITY;
}

static void add_call(const struct sample *sample, const struct met *met, struct calls *calls)
{
    const double tolerance = 2 * calls->map->error;
    if (!met) {
        if (sample->role & ROLE_WHOLE) /* to leave out what else is known of the call */
            put_call(calls, &(struct call){
                                .key = event_key_of(sample), .enter = sample->enter, .whole = 1 });
        else if (!(sample->role & ROLE_LONG))
            calls->lost++;
        return;
    }
    const double enter = wait_time_at(calls->map, sample->enter),
                 exit = wait_time_at(calls->map, sample->exit), back = back_for(sample, met, exit);
    const int gives = !(sample->role & ROLE_WAITS), is_for_other = gives || back > met->late;
    double wait = (is_for_other ? back : met->late) - enter;
    if (!(wait > 0) || (!gives && (sample->role & ROLE_SENDS) && exit < met->late))
        wait = 0;
    if (wait > exit - enter)
        wait = exit - enter;
    /* Between hosts, what is shorter than twice the error of the clocks cannot be told from
     * nothing: METRICS 1. */
    double unresolved = met->hosts == UINT32_MAX && wait < tolerance ? wait : 0;
    put_call(calls, &(struct call){
                        event_key_of(sample), sample->enter, sample->exit, wait - unresolved,
                        unresolved, exit - enter, met->probability,
                        sample->role & ROLE_SHARED && isfinite(met->late)
                            ? hideable_of(met->late, enter, exit)
                            : 0,
                        unresolved > 0 ? 0 : propagated_of(sample, met, wait, calls->map->rate), 0,
                        gives          ? met->taker
                        : is_for_other ? (int)(sample->members & ~SAMPLE_PAIR)
                                       : met->who,
                        sample->role & ROLE_WHOLE ? 1 : 0, after_of(sample, met) });
}

static int compare_calls(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    return (a->enter > b->enter) - (a->enter < b->enter);
}

static void unite_neighbours(struct calls *calls)
{
    const size_t count = calls->count;
    calls->count = 0;
    for (size_t i = 0; i < count; i++)
        put_call(calls, &calls->rows[i]);
}

/* Of which not all samples are known: nobody knows how long they waited. */
static void leave_out_partial(struct calls *calls)
{
    size_t kept = 0;
    for (size_t i = 0; i < calls->count; i++)
        if (calls->rows[i].probability > 0)
            calls->rows[kept++] = calls->rows[i];
    calls->lost += calls->count - kept;
    calls->count = kept;
}

/* Where threads or requests are in the way of the order. */
static void one_row_a_call(struct calls *calls)
{
    int in_order = 1;
    for (size_t i = 1; i < calls->count; i++)
        in_order &= calls->rows[i - 1].enter < calls->rows[i].enter;
    if (!in_order) {
        qsort(calls->rows, calls->count, sizeof *calls->rows, compare_calls);
        unite_neighbours(calls);
    }
    leave_out_partial(calls);
}

/* How often this rank was the last, of the instances in which others may wait for it. */
static void add_last(const struct sample *sample, const struct met *met, struct merged *merged)
{
    const double weight = 1 / (double)met->probability;
    if (sample->role & ROLE_POSTS && !(sample->role & ROLE_UNRANKED) && sample->members >= 2)
        waits_add_lateness(merged, job.rank, key_class(sample->event), weight,
                           met->who == job.rank ? weight : 0, 0);
}

struct evaluation {
    struct calls *calls;
    struct merged *merged;
};

static void add_sample(const struct sample *sample, void *with)
{
    const struct evaluation *to = with;
    const struct met *met = met_find(to->calls->known, sample->key);
    if (met && !(met_is_sound(met, 2 * to->calls->map->error) && met->probability > 0))
        met = NULL;
    add_call(sample, met, to->calls);
    if (met)
        add_last(sample, met, to->merged);
}

void waits_evaluate(struct merged *merged, struct call *rows, const struct met_list *known,
                    const struct lock_waits *locks, const struct clock_map *map)
{
    struct calls calls = { rows, 0, known, map, 0 };
    if (!calls.rows)
        return;
    samples_by_time(add_sample, &(struct evaluation){ &calls, merged });
    one_row_a_call(&calls);
    lock_waits_add(locks, &calls, merged);
    waits_add_results(merged, &calls);
    lock_waits_add_shared(locks, merged);
    struct profile_ranks *own = merged->tables[TABLE_RANKS].rows;
    if (own)
        own->unmatched = calls.lost;
}
