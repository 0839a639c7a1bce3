#include "matching.h"
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
    if (into->check == -1)
        into->check = from->check;
    else if (from->check != -1 && from->check != into->check)
        into->check = DISAGREE;
    if (from->members != into->members)
        into->check = DISAGREE;
    if (from->hosts != into->hosts)
        into->hosts = UINT32_MAX;
    into->seen += from->seen;
}

/* The first `count` rows are sorted; rows of equal key become one. */
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

void met_sort(struct met_list *list)
{
    if (list->count)
        qsort(list->rows, list->count, sizeof *list->rows, compare);
    list->count = unite_neighbours(list->rows, list->count);
}

int met_merge(struct met_list *left, struct met_list *right)
{
    size_t i = 0, j = 0, count = 0;
    struct met *rows = malloc((left->count + right->count + 1) * sizeof *rows);
    if (!rows)
        return 0;
    while (i < left->count || j < right->count)
        rows[count++] = j == right->count || (i < left->count && left->rows[i].key <= right->rows[j].key) ? left->rows[i++] : right->rows[j++];
    free(left->rows);
    free(right->rows);
    *left = (struct met_list){ rows, unite_neighbours(rows, count) };
    *right = (struct met_list){ NULL, 0 };
    return 1;
}

int met_part(struct met_list *list, struct met_list *complete)
{
    struct met_list done = { malloc((list->count + 1) * sizeof *done.rows), 0 };
    size_t kept = 0;
    if (!done.rows)
        return 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i].seen >= list->rows[i].members || list->rows[i].check == DISAGREE)
            done.rows[done.count++] = list->rows[i];
        else
            list->rows[kept++] = list->rows[i];
    list->count = kept;
    return met_merge(complete, &done);
}

const struct met *met_find(const struct met_list *list, uint64_t key)
{
    struct met wanted = { .key = key };
    return list->count ? bsearch(&wanted, list->rows, list->count, sizeof wanted, compare) : NULL;
}

struct met_list met_select(const struct met_list *all, const struct met_list *asked)
{
    struct met_list found = { malloc((asked->count + 1) * sizeof *found.rows), 0 };
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
