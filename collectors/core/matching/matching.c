#include "matching.h"
#include "samples.h"
#include <math.h>
#include <stdlib.h>

enum { DISAGREE = -2, FEWEST = 1024 };

void met_unite(struct met *into, const struct met *from)
{
    if (from->late > into->late) {
        into->late = from->late;
        into->who = from->who;
    }
    if (from->back > into->back) {
        into->back = from->back;
        into->taker = from->taker;
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

/* Keys are hashes, but what is kept of many are the small ones: sample_hash() spreads them again.
 */
static uint32_t *place_of(const struct met_list *list, uint64_t key)
{
    const size_t last = 2 * list->room - 1;
    size_t place = (sample_hash(key) >> 32) & last;
    while (list->places[place] && list->rows[list->places[place] - 1].key != key)
        place = (place + 1) & last;
    return &list->places[place];
}

int met_reserve(struct met_list *list, size_t count)
{
    size_t room = FEWEST;
    while (room < count)
        room *= 2;
    if (room <= list->room)
        return 1;
    struct met *rows = realloc(list->rows, room * sizeof *rows);
    uint32_t *places = rows ? calloc(2 * room + 1, sizeof *places) : NULL;
    list->rows = rows ? rows : list->rows;
    if (!places)
        return 0;
    free(list->places);
    list->places = places;
    list->room = room;
    for (size_t i = 0; i < list->count; i++)
        *place_of(list, rows[i].key) = (uint32_t)i + 1;
    return 1;
}

/* Whoever looks for many has them mostly in one order, which is that of time: the row behind the
 * last one found is tried first. */
struct met *met_find(const struct met_list *list, uint64_t key)
{
    if (!list->count)
        return NULL;
    uint32_t *next = &list->places[2 * list->room], number = *next + 1;
    if (*next == list->count || list->rows[*next].key != key)
        number = *place_of(list, key);
    if (!number)
        return NULL;
    *next = number;
    return &list->rows[number - 1];
}

void met_add(struct met_list *list, const struct met *met)
{
    struct met *known = met_find(list, met->key);
    if (known) {
        met_unite(known, met);
    } else if (list->count < list->room || met_reserve(list, list->count + 1)) {
        list->rows[list->count++] = *met;
        *place_of(list, met->key) = (uint32_t)list->count;
    }
}

static int is_over(const struct met *met)
{
    return met->seen >= met->members || met->check == DISAGREE;
}

/* Those with small hashes stay: leaving out the others leaves out any, and keeps the sample fair.
 */
struct met *met_open(const struct met_list *list, size_t most, size_t *count)
{
    size_t open = 0;
    *count = 0;
    for (size_t i = 0; i < list->count; i++)
        open += !is_over(&list->rows[i]);
    if (open == list->count && open <= most) {
        *count = open;
        return list->rows;
    }
    const uint64_t limit = open > most ? UINT64_MAX / open * most : UINT64_MAX;
    struct met *rows = malloc((open + 1) * sizeof *rows);
    for (size_t i = 0; rows && i < list->count; i++)
        if (!is_over(&list->rows[i]) && sample_hash(list->rows[i].key) <= limit)
            rows[(*count)++] = list->rows[i];
    return rows;
}

size_t met_answer(const struct met_list *list, struct met *rows, size_t count)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const struct met *met = met_find(list, rows[i].key);
        if (met && is_over(met))
            rows[known++] = *met;
    }
    return known;
}

void met_learn(const struct met_list *list, const struct met *rows, size_t count)
{
    struct met *met;
    for (size_t i = 0; i < count; i++)
        if ((met = met_find(list, rows[i].key)))
            *met = rows[i];
}

int met_is_sound(const struct met *met, double tolerance)
{
    return met->check != DISAGREE && met->seen == met->members && met->who >= 0 &&
           met->first_exit + tolerance >= met->late;
}

void met_free(struct met_list *list)
{
    free(list->rows);
    free(list->places);
}
