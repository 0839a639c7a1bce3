/* matching RANKS: what it takes to find who waited for whom, at the end of a job of RANKS ranks, in
 * one process. Lists are put together by the collector's own code along its tree; what would be
 * sent is handed on. Prints one line of JSON; processor time in seconds.
 *
 * path: the median of all ranks' own parts, and of what is done on each level of the tree, added
 * up. worst: the longest way that there was. With many ranks that is the worst disturbance of some
 * hundred thousand measurements on one processor: it says more of the machine than of the code.
 *
 * The job fills the room for samples of each rank: 4096 instances on the world, of which it keeps
 * all but some at the edge of its own threshold, 2048 on the communicator of its host, and 2048
 * messages with four neighbours. 64 ranks a host. */
#include "matching.h"
#include "samples.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { A_HOST = 64, EDGE = 64, MESSAGES = SAMPLES_MESSAGES / 4, LEVELS = 31, MOST_KEYS = 1 << 16 };

static int ranks;
static double own, joined, told;
static struct times {
    double *seconds;
    size_t count, room;
} leaves, joins[LEVELS], tells[LEVELS];

static void note(struct times *times, double seconds)
{
    if (times->count == times->room) {
        times->room = 2 * times->room + 64;
        times->seconds = realloc(times->seconds, times->room * sizeof *times->seconds);
    }
    times->seconds[times->count++] = seconds;
}

static int compare_times(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static double median(struct times *times)
{
    if (!times->count)
        return 0;
    qsort(times->seconds, times->count, sizeof *times->seconds, compare_times);
    return times->seconds[times->count / 2];
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t hash(uint64_t a, uint64_t b)
{
    a = (a + 1) * 0x9E3779B97F4A7C15ull ^ (b + 1) * 0xC2B2AE3D27D4EB4Full;
    return (a ^ a >> 29) * 0x9E3779B97F4A7C15ull;
}

struct rows {
    struct met rows[SAMPLE_ROWS];
    size_t count;
};

static void add(struct rows *to, int rank, uint64_t key, uint32_t members)
{
    const double late = (double)(hash(key, (uint64_t)rank) >> 40);
    to->rows[to->count++] = (struct met){ .key = key,
                                          .late = late,
                                          .first_exit = 1e9,
                                          .probability = 0.5f,
                                          .who = rank,
                                          .members = members,
                                          .seen = 1,
                                          .hosts = 1 + (uint32_t)(rank / A_HOST) };
}

/* Both ends of a message give the same key. */
static void add_messages(struct rows *to, int from, int distance, int seen_by)
{
    for (uint64_t i = 0; i < MESSAGES / 2; i++)
        add(to, seen_by, hash(hash(3, (uint64_t)from), hash((uint64_t)distance, i)), 2);
}

static void add_all(struct met_list *list, const struct met *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        met_add(list, &rows[i]);
}

/* As in match_messages: what this rank and its neighbours kept of the messages between them. */
static void match_messages(int rank, struct met_list *list)
{
    static const int distances[] = { 1, 2, A_HOST, 2 * A_HOST };
    static struct rows mine, got;
    struct met *same;
    mine.count = got.count = 0;
    for (int i = 0; i < 4; i++) {
        const int above = (rank + distances[i]) % ranks,
                  below = (rank + ranks - distances[i] % ranks) % ranks;
        add_messages(&mine, rank, distances[i], rank);
        add_messages(&mine, below, distances[i], rank);
        add_messages(&got, rank, distances[i], above);
        add_messages(&got, below, distances[i], below);
    }
    double begin = now();
    add_all(list, mine.rows, mine.count);
    for (size_t i = 0; i < got.count; i++)
        if ((same = met_find(list, got.rows[i].key)))
            met_unite(same, &got.rows[i]);
    own += now() - begin;
}

/* As in waits_find: what a rank has by itself. Messages, which it looks at last, in a list of their
 * own. */
static struct met_list leaf(int rank)
{
    static struct rows samples;
    struct met_list list = { NULL, 0, 0, NULL }, messages = { NULL, 0, 0, NULL };
    samples.count = 0;
    for (uint64_t i = 0; i < SAMPLES_WORLD; i++)
        if (i >= EDGE || hash(i, (uint64_t)rank) & 1)
            add(&samples, rank, hash(1, i), (uint32_t)ranks);
    for (uint64_t i = 0; i < SAMPLES_OTHER; i++)
        add(&samples, rank, hash(2 + (uint64_t)(rank / A_HOST) * 7, i),
            ranks < A_HOST ? (uint32_t)ranks : A_HOST);
    match_messages(rank, &messages);
    met_free(&messages);
    double begin = now();
    if (met_reserve(&list, SAMPLE_ROWS))
        add_all(&list, samples.rows, samples.count);
    own += now() - begin;
    return list;
}

/* A rank and its subtree: what it knows, and when, if every rank began at 0; how long the way down
 * takes below it. */
struct subtree {
    struct met_list list;
    double up, down;
};

static struct subtree climb(int rank, int level)
{
    struct subtree children[LEVELS];
    struct met *open[LEVELS];
    size_t count[LEVELS];
    double begin, before = own, sent = 0;
    struct subtree all = { leaf(rank), 0, 0 };
    all.up = own - before;
    note(&leaves, all.up);
    int number = 0;
    for (; number < level && rank + (1 << number) < ranks; number++) {
        children[number] = climb(rank + (1 << number), number);
        begin = now();
        struct met *rows = met_open(&children[number].list, MOST_KEYS, &count[number]);
        double took = now() - begin;
        open[number] = rows == children[number].list.rows
                           ? memcpy(malloc(count[number] * sizeof *rows + 1), rows,
                                    count[number] * sizeof *rows)
                           : rows; /* as received */
        begin = now();
        add_all(&all.list, open[number], count[number]);
        took += now() - begin;
        joined += took;
        note(&joins[number], took);
        all.up = fmax(all.up, children[number].up) + took;
    }
    while (number-- > 0) {
        begin = now();
        const size_t known = met_answer(&all.list, open[number], count[number]);
        sent += now() - begin;
        double arrived = now();
        met_learn(&children[number].list, open[number], known);
        const double took = now() - begin;
        told += took;
        note(&tells[number], took);
        all.down = fmax(all.down, sent + now() - arrived + children[number].down);
        free(open[number]);
        met_free(&children[number].list);
    }
    return all;
}

int main(int words, char **word)
{
    int levels = 0;
    ranks = words > 1 ? atoi(word[1]) : 0;
    if (ranks < 2)
        return 2;
    while (1 << levels < ranks)
        levels++;
    struct subtree all = climb(0, levels);
    double path = median(&leaves);
    for (int level = 0; level < levels; level++)
        path += median(&joins[level]) + median(&tells[level]);
    size_t left;
    free(met_open(&all.list, SIZE_MAX, &left));
    printf("{\"ranks\": %d, \"own\": %.6f, \"all\": %.6f, \"path\": %.6f, \"worst\": %.6f, "
           "\"left\": %zu}\n",
           ranks, own / ranks, own + joined + told, path, all.up + all.down, left);
    met_free(&all.list);
    return 0;
}
