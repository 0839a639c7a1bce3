#define _GNU_SOURCE
#include "overlap.h"
#include "reference.h"
#include "wait_calls.h"
#include "events.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { ON_HOST, BETWEEN_HOSTS, PATHS };
static const enum class path_class[PATHS] = { CLASS_HOST, CLASS_OTHER };

/* Milliseconds that a rank must have spent between posting and the end of completing calls, or nobody sends messages for comparison: they take some too. Seconds that fit an int of them. */
enum { ENOUGH = 500, MOST = 2000000 };

/* A message that this rank posted: `gap` it did something else after both sides had posted, `rest` of the completing call was left then. */
struct message { uint64_t enter; double size, gap, rest, weight; int peer, path; };
struct messages { struct message *rows; size_t count; const struct met_list *known; const struct clock_map *map; };

static double positive(double value) { return value > 0 ? value : 0; }
static double later(double a, double b) { return a > b ? a : b; }

static void add_message(const struct sample *sample, void *with)
{
    struct messages *messages = with;
    const struct clock_map *map = messages->map;
    const int peer = (int)(sample->members & ~SAMPLE_PAIR);
    if (!(sample->members & SAMPLE_PAIR) || !(sample->role & ROLE_SHARED) || peer == job.rank)
        return;
    const struct met *met = met_find(messages->known, sample->key);
    if (!met || !met->size || !met_is_sound(met, 2 * map->error) || !(met->probability > 0))
        return;
    const double enter = wait_time_at(map, sample->enter), exit = wait_time_at(map, sample->exit), posting = isfinite(sample->gap) ? sample->gap * map->rate : 0;
    const double posted = later(met->late, wait_time_at(map, sample->post) + posting);
    messages->rows[messages->count++] = (struct message){ sample->enter, sample_size(met->size), positive(enter - posted), positive(exit - later(enter, met->late)),
        1 / (double)met->probability, peer, job.node_of[peer] == (uint32_t)job.node ? ON_HOST : BETWEEN_HOSTS };
}

/* ---- what messages take ---- */

/* How long messages lasted in all, as a negative number of milliseconds, and the partner of each path: who had the largest one. */
static void find_candidates(const struct messages *messages, int lasted[PATHS], int partner[PATHS])
{
    double time[PATHS] = { 0 }, largest[PATHS] = { 0 };
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

/* Of each path the rank whose messages lasted longest, and its partner; INT_MAX: they lasted too short everywhere. 0: not agreed. */
static int find_ends(const struct messages *messages, int ends[2][PATHS])
{
    int own[PATHS], most[PATHS], first[PATHS], partner[PATHS] = { 0 };
    find_candidates(messages, own, partner);
    if (job_least(own, most, PATHS, MPI_INT) != MPI_SUCCESS || (most[ON_HOST] > -ENOUGH && most[BETWEEN_HOSTS] > -ENOUGH))
        return 0;
    for (int path = 0; path < PATHS; path++)
        first[path] = own[path] == most[path] && most[path] <= -ENOUGH ? job.rank : INT_MAX;
    if (job_least(first, ends[0], PATHS, MPI_INT) != MPI_SUCCESS)
        return 0;
    for (int path = 0; path < PATHS; path++)
        partner[path] = ends[0][path] == job.rank ? partner[path] : INT_MAX;
    return job_least(partner, ends[1], PATHS, MPI_INT) == MPI_SUCCESS;
}

static void add_references(struct pile *pile, int path, int partner, const struct reference *reference)
{
    for (int i = 0; i < REFERENCES && reference->time[i] > 0; i++)
        heap_add(pile, &pile->references, sizeof(struct pile_reference),
                 &(struct pile_reference){ path_class[path], reference_bytes(i), job.rank, partner, reference->time[i] });
}

/* One pair measures for all. INFINITY stands for what was not measured, so that the least is what was. */
static int find_references(struct pile *pile, const struct messages *messages, struct reference references[PATHS])
{
    struct reference measured[PATHS] = { { { 0 } } };
    int ends[2][PATHS];
    if (!find_ends(messages, ends))
        return 0;
    for (int path = 0; path < PATHS; path++) {
        if (ends[0][path] == job.rank || ends[1][path] == job.rank)
            measured[path] = reference_measure(ends[ends[0][path] == job.rank][path], ends[0][path] == job.rank);
        add_references(pile, path, ends[1][path], &measured[path]);
        for (int i = 0; i < REFERENCES; i++)
            measured[path].time[i] = measured[path].time[i] > 0 ? measured[path].time[i] : INFINITY;
    }
    if (job_least(measured, references, PATHS * REFERENCES, MPI_DOUBLE) != MPI_SUCCESS)
        return 0;
    for (int path = 0; path < PATHS; path++)
        for (int i = 0; i < REFERENCES; i++)
            references[path].time[i] = isfinite(references[path].time[i]) ? references[path].time[i] : 0;
    return 1;
}

/* ---- what calls moved ---- */

static int compare_messages(const void *left, const void *right)
{
    const struct message *a = left, *b = right;
    return (a->enter > b->enter) - (a->enter < b->enter);
}

static double less(double a, double b) { return a < b ? a : b; }

/* The messages of one call have one rest, which is that of the last one: of each of the others it is the most that can have been left. */
static void add_call(struct pile *pile, const struct message *messages, size_t count, const struct reference *references)
{
    static const double nothing_left = 0.8;   /* METRICS 10 */
    struct pile_overlap row = { 0 };
    double loss = INFINITY, largest = 0;
    for (size_t i = 0; i < count; i++) {
        const struct message *message = &messages[i];
        const double time = reference_time(&references[message->path], message->size), possible = less(message->gap, time);
        const double achieved = positive(less(possible, time - message->rest));
        if (!(time > 0))
            continue;
        row.messages += 1;
        row.reference += time;
        row.possible += possible;
        row.achieved += achieved;
        row.starved += message->gap >= time && message->rest >= nothing_left * time;
        loss = less(loss, possible - achieved);
        if (message->size > largest) {
            largest = message->size;
            row.path = path_class[message->path];
            row.bin = bin_number((uint64_t)message->size);
        }
    }
    if (!(row.messages > 0))
        return;
    const double weight = messages->weight;   /* messages of one call are chosen together */
    heap_add(pile, &pile->overlaps, sizeof row, &(struct pile_overlap){ row.path, row.bin, weight, weight * row.messages, weight * row.reference, weight * row.possible,
        weight * row.achieved, weight * (row.possible - loss), weight * row.starved, weight * (weight - 1) * row.achieved * row.achieved });
}

static void add_calls(struct pile *pile, const struct messages *messages, const struct reference *references)
{
    if (messages->count)
        qsort(messages->rows, messages->count, sizeof *messages->rows, compare_messages);
    for (size_t from = 0, to; from < messages->count; from = to) {
        for (to = from; to < messages->count && messages->rows[to].enter == messages->rows[from].enter;)
            to++;
        add_call(pile, &messages->rows[from], to - from, references);
    }
    heap_tidy(&pile->overlaps, &overlap_kind);
}

void overlap_find(struct pile *pile, const struct met_list *known, const struct clock_map *map)
{
    struct messages messages = { malloc(SAMPLES_MESSAGES * sizeof *messages.rows), 0, known, map };
    struct reference references[PATHS];
    if (messages.rows && job.node_of)
        waits_each_sample(add_message, &messages);
    if (find_references(pile, &messages, references))
        add_calls(pile, &messages, references);
    free(messages.rows);
}
