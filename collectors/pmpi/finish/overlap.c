#define _GNU_SOURCE
#include "overlap.h"
#include "job.h"
#include "reference.h"
#include "samples_by_time.h"
#include "wait_calls.h"
#include "events.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { ON_HOST, BETWEEN_HOSTS, PATHS };
static const enum class path_class[PATHS] = { CLASS_INTRA_NODE, CLASS_OTHER };

/* Milliseconds that a rank must have spent between posting and the end of completing calls, or
 * nobody sends messages for comparison: they take some too. Seconds that fit an int of them. */
enum { ENOUGH = 500, MOST = 2000000 };

/* A message that this rank posted: `gap` it did something else after both sides had posted, `rest`
 * of the completing call was left then. */
struct message {
    uint64_t enter;
    double size, gap, rest, weight;
    int peer, path;
};
struct messages {
    struct message *rows;
    size_t count;
    const struct met_list *known;
    const struct clock_map *map;
};

static double positive(double value)
{
    return value > 0 ? value : 0;
}
static double later(double a, double b)
{
    return a > b ? a : b;
}

static void add_message(const struct sample *sample, void *with)
{
    struct messages *messages = with;
    const struct clock_map *map = messages->map;
    const int peer = (int)(sample->members & ~SAMPLE_PAIR);
    /* What was kept for how long it was says nothing of other messages. */
    if (!(sample->members & SAMPLE_PAIR) || !(sample->role & ROLE_SHARED) ||
        sample->role & ROLE_LONG || peer == job.rank || messages->count == SAMPLES_MESSAGES)
        return;
    const struct met *met = met_find(messages->known, sample->key);
    if (!met || !met->size || !met_is_sound(met, 2 * map->error) || !(met->probability > 0))
        return;
    const double enter = wait_time_at(map, sample->enter), exit = wait_time_at(map, sample->exit),
                 posting = isfinite(sample->gap) ? sample->gap * map->rate : 0;
    const double posted = later(met->late, wait_time_at(map, sample->post) + posting);
    messages->rows[messages->count++] =
        (struct message){ sample->enter,
                          reference_size(sample_size(met->size)),
                          positive(enter - posted),
                          positive(exit - later(enter, met->late)),
                          1 / (double)met->probability,
                          peer,
                          job.node_of[peer] == (uint32_t)job.node ? ON_HOST : BETWEEN_HOSTS };
}

/* ---- what messages take ---- */

/* How long messages lasted in all, as a negative number of milliseconds, and the partner of each
 * path: who had the largest one, and its bytes. */
static void find_candidates(const struct messages *messages, int lasted[PATHS], int partner[PATHS],
                            double largest[PATHS])
{
    double time[PATHS] = { 0 };
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->rows[i];
        time[message->path] += message->weight * (message->gap + message->rest);
        if (message->size > largest[message->path]) {
            largest[message->path] = message->size;
            partner[message->path] = message->peer;
        }
    }
    for (int path = 0; path < PATHS; path++)
        lasted[path] = -(int)(time[path] < MOST ? 1e3 * time[path] : 1e3 * MOST);
}

/* Of each path the rank whose messages lasted longest, and its partner; INT_MAX: they lasted too
 * short everywhere. 0: not agreed. */
static int find_ends(const struct messages *messages, int ends[2][PATHS], double largest[PATHS])
{
    int own[PATHS], most[PATHS], first[PATHS], partner[PATHS] = { 0 };
    find_candidates(messages, own, partner, largest);
    if (job_allreduce_min(own, most, PATHS, MPI_INT) != MPI_SUCCESS ||
        (most[ON_HOST] > -ENOUGH && most[BETWEEN_HOSTS] > -ENOUGH))
        return 0;
    for (int path = 0; path < PATHS; path++)
        first[path] = own[path] == most[path] && most[path] <= -ENOUGH ? job.rank : INT_MAX;
    if (job_allreduce_min(first, ends[0], PATHS, MPI_INT) != MPI_SUCCESS)
        return 0;
    for (int path = 0; path < PATHS; path++)
        partner[path] = ends[0][path] == job.rank ? partner[path] : INT_MAX;
    return job_allreduce_min(partner, ends[1], PATHS, MPI_INT) == MPI_SUCCESS;
}

static void add_references(struct merged *merged, int path, int partner,
                           const struct reference *reference)
{
    for (int i = 0; i < REFERENCES && reference->least[i] > 0; i++)
        merged_add(merged, TABLE_REFERENCES,
                   &(struct profile_references){ .path = (uint8_t)path_class[path],
                                                 .bytes = reference_bytes(i),
                                                 .from = job.rank,
                                                 .to = partner,
                                                 .least = reference->least[i],
                                                 .most = reference->most[i] });
}

/* Swaps what was not measured, 0, for INFINITY, so that the least over ranks is what was measured;
 * and back. */
static void swap_unknown(struct reference references[PATHS])
{
    double *times = references->least;
    for (size_t i = 0; i < PATHS * sizeof *references / sizeof *times; i++)
        times[i] = times[i] == 0 ? INFINITY : isfinite(times[i]) ? times[i] : 0;
}

/* One pair measures for all. */
static int find_references(struct merged *merged, const struct messages *messages,
                           struct reference references[PATHS])
{
    struct reference measured[PATHS] = { { { 0 }, { 0 } } };
    double largest[PATHS] = { 0 };
    int ends[2][PATHS];
    if (!find_ends(messages, ends, largest))
        return 0;
    for (int path = 0; path < PATHS; path++) {
        if (ends[0][path] == job.rank || ends[1][path] == job.rank)
            measured[path] = reference_measure(ends[ends[0][path] == job.rank][path],
                                               ends[0][path] == job.rank, largest[path]);
        add_references(merged, path, ends[1][path], &measured[path]);
    }
    swap_unknown(measured);
    if (job_allreduce_min(measured, references, PATHS * sizeof *measured / sizeof(double),
                          MPI_DOUBLE) != MPI_SUCCESS)
        return 0;
    swap_unknown(references);
    return 1;
}

/* ---- what calls moved ---- */

static int compare_messages(const void *left, const void *right)
{
    const struct message *a = left, *b = right;
    return (a->enter > b->enter) - (a->enter < b->enter);
}

static double less(double a, double b)
{
    return a < b ? a : b;
}

/* Of the time that a message takes: what fits into its gap, and how much of that was over before
 * the completing call. */
struct share {
    double time, possible, achieved;
};

static struct share share_of(const struct message *message, const double times[REFERENCES])
{
    const double time = reference_time(times, message->size), possible = less(message->gap, time);
    return (struct share){ time, possible, positive(less(possible, time - message->rest)) };
}

/* The messages of one call have one rest, which is that of the last one. At least that much is
 * achieved which is left when it is taken off each of them and they take the shorter times; at most
 * when it is taken off one of them and they take the longer times. */
static void add_call(struct merged *merged, const struct message *messages, size_t count,
                     const struct reference *references)
{
    static const double nothing_left = 0.8; /* METRICS 10 */
    struct profile_overlap row = { 0 };
    const double weight = messages->weight; /* messages of one call are chosen together */
    double loss = INFINITY, largest = 0;
    for (size_t i = 0; i < count; i++) {
        const struct message *message = &messages[i];
        const struct share least = share_of(message, references[message->path].least),
                           most = share_of(message, references[message->path].most);
        if (!(least.time > 0))
            continue;
        row.messages += weight;
        row.reference += weight * least.time;
        row.possible += weight * least.possible;
        row.achieved += weight * least.achieved;
        row.without_progress +=
            weight * (message->gap >= least.time && message->rest >= nothing_left * least.time);
        row.longer_reference += weight * most.time;
        row.longer_possible += weight * most.possible;
        loss = less(loss, most.possible - most.achieved);
        if (message->size > largest) {
            largest = message->size;
            row.path = (uint8_t)path_class[message->path];
            row.bin = (int16_t)(bin_number((uint64_t)message->size) - 1);
        }
    }
    if (!(row.messages > 0))
        return;
    row.calls = weight;
    row.variance = (weight - 1) / weight * row.achieved * row.achieved;
    row.longer_achieved = row.longer_possible - weight * loss;
    merged_add(merged, TABLE_OVERLAP, &row);
}

static void add_calls(struct merged *merged, const struct messages *messages,
                      const struct reference *references)
{
    if (messages->count)
        qsort(messages->rows, messages->count, sizeof *messages->rows, compare_messages);
    for (size_t from = 0, to; from < messages->count; from = to) {
        for (to = from;
             to < messages->count && messages->rows[to].enter == messages->rows[from].enter;)
            to++;
        add_call(merged, &messages->rows[from], to - from, references);
    }
    row_buffer_sort_and_combine(&merged->tables[TABLE_OVERLAP], &tables[TABLE_OVERLAP].rows);
}

void overlap_find(struct merged *merged, const struct met_list *known, const struct clock_map *map)
{
    struct messages messages = { malloc(SAMPLES_MESSAGES * sizeof *messages.rows), 0, known, map };
    struct reference references[PATHS];
    if (messages.rows && job.node_of)
        samples_by_time(add_message, &messages);
    if (find_references(merged, &messages, references))
        add_calls(merged, &messages, references);
    free(messages.rows);
}
