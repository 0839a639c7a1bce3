#include "matching.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DISAGREE = -2 };

static int compare(const void *left, const void *right)
{
    const struct met *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

static void unite(struct met *into, const struct met *from)
{
    if (from->late > into->late) {
        into->late = from->late;
        into->who = from->who;
    }
    if (from->first_exit < into->first_exit)
        into->first_exit = from->first_exit;
    if (from->probability < into->probability)
        into->probability = from->probability;
    if (from->gap > into->gap || from->before != into->before)
        into->gap = from->before != into->before ? INFINITY : from->gap;
    if (into->check == -1)
        into->check = from->check;
    else if (from->check != -1 && from->check != into->check)
        into->check = DISAGREE;
    if (from->members != into->members)
        into->check = DISAGREE;
    if (from->hosts != into->hosts)
        into->hosts = UINT32_MAX;
    into->size = from->size > into->size ? from->size : into->size;
    into->seen += from->seen;
}

static size_t unite_neighbours(struct met *rows, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept && rows[kept - 1].key == rows[i].key)
            unite(&rows[kept - 1], &rows[i]);
        else
            rows[kept++] = rows[i];
    return kept;
}

struct place { uint64_t key; size_t row; };
enum { DIGIT = 11, FIRST_BIT = 64 - 3 * DIGIT };   /* 33 bits tell some thousand hashes apart; what they do not is sorted afterwards */

static void sort_by_digit(const struct place *from, struct place *to, size_t count, int shift)
{
    size_t first[(1 << DIGIT) + 1] = { 0 };
    for (size_t i = 0; i < count; i++)
        first[(from[i].key >> shift & ((1 << DIGIT) - 1)) + 1]++;
    for (int digit = 0; digit < 1 << DIGIT; digit++)
        first[digit + 1] += first[digit];
    for (size_t i = 0; i < count; i++)
        to[first[from[i].key >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

/* Three passes over places of 16 bytes: qsort moves the rows themselves, and takes six times as long. */
int met_sort(struct met_list *list)
{
    const size_t count = list->count;
    struct place *places = calloc(2 * count + 1, sizeof *places), *sorted = places + count;
    struct met *rows = malloc((count + 1) * sizeof *rows);
    if (!places || !rows) {
        free(places);
        free(rows);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){ list->rows[i].key, i };
    sort_by_digit(places, sorted, count, FIRST_BIT);
    sort_by_digit(sorted, places, count, FIRST_BIT + DIGIT);
    sort_by_digit(places, sorted, count, FIRST_BIT + 2 * DIGIT);
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && rows[at - 1].key > sorted[i].key; at--)
            rows[at] = rows[at - 1];
        rows[at] = list->rows[sorted[i].row];
    }
    free(list->rows);
    free(places);
    *list = (struct met_list){ rows, unite_neighbours(rows, count), count + 1 };
    return 1;
}

static int make_room(struct met_list *list, size_t rows)
{
    if (rows <= list->room)
        return 1;
    struct met *larger = realloc(list->rows, rows * sizeof *larger);
    if (!larger)
        return 0;
    list->rows = larger;
    list->room = rows;
    return 1;
}

static int has_key(const struct met_list *list, size_t *at, uint64_t key)
{
    while (*at < list->count && list->rows[*at].key < key)
        ++*at;
    return *at < list->count && list->rows[*at].key == key;
}

/* From the last row to the first, so that no row is written over before it has been moved. */
static void put_in(struct met_list *list, const struct met_list *other, size_t new)
{
    size_t i = list->count, j = other->count, to = list->count + new;
    list->count = to;
    while (j > 0)
        if (i > 0 && list->rows[i - 1].key > other->rows[j - 1].key) {
            list->rows[--to] = list->rows[i - 1];
            i--;
        } else if (i > 0 && list->rows[i - 1].key == other->rows[j - 1].key) {
            unite(&list->rows[i - 1], &other->rows[--j]);
            list->rows[--to] = list->rows[i - 1];
            i--;
        } else {
            list->rows[--to] = other->rows[--j];
        }
}

/* Where many ranks have the same instances, no row has to move. */
int met_add(struct met_list *list, const struct met_list *other)
{
    size_t new = 0;
    for (size_t i = 0, at = 0; i < other->count; i++)
        new += !has_key(list, &at, other->rows[i].key);
    if (!make_room(list, list->count + new))
        return 0;
    put_in(list, other, new);
    return 1;
}

static int is_over(const struct met *met) { return met->seen >= met->members || met->check == DISAGREE; }

int met_part(struct met_list *list, struct met_list *complete)
{
    struct met_list done = { NULL, 0, 0 };
    size_t over = 0, kept = 0;
    for (size_t i = 0; i < list->count; i++)
        over += is_over(&list->rows[i]);
    if (!over)
        return 1;
    if (!make_room(&done, over) || !make_room(complete, complete->count + over)) {
        free(done.rows);
        return 0;
    }
    for (size_t i = 0; i < list->count; i++)
        if (is_over(&list->rows[i]))
            done.rows[done.count++] = list->rows[i];
        else
            list->rows[kept++] = list->rows[i];
    list->count = kept;
    met_add(complete, &done);
    free(done.rows);
    return 1;
}

const struct met *met_find(const struct met_list *list, uint64_t key)
{
    struct met wanted = { .key = key };
    return list->count ? bsearch(&wanted, list->rows, list->count, sizeof wanted, compare) : NULL;
}

struct met_list met_select(const struct met_list *all, const struct met_list *asked)
{
    struct met_list found = { malloc((asked->count + 1) * sizeof *found.rows), 0, asked->count + 1 };
    for (size_t i = 0, j = 0; found.rows && i < all->count && j < asked->count;) {
        if (all->rows[i].key == asked->rows[j].key)
            found.rows[found.count++] = all->rows[i];
        if (all->rows[i].key <= asked->rows[j].key)
            i++;
        else
            j++;
    }
    return found;
}

int met_is_sound(const struct met *met, double tolerance)
{
    return met->check != DISAGREE && met->seen == met->members && met->who >= 0 && met->first_exit + tolerance >= met->late;
}
