/* What counters have counted, as rows of a pile. */
#include "pile.h"

static void put_part(double to[5], const struct counter_part *part)
{
    const double values[5] = { part->count, part->time, part->count_count, part->count_time,
                               part->time_time };
    for (int i = 0; i < 5; i++)
        to[i] = values[i];
}

void pile_add_counters(struct pile *pile, const struct record *record)
{
    for (int i = 0; i < COUNTER_ROWS; i++) {
        const struct counter_row *row = &record->counters[i];
        struct pile_counter counter = { record->rank.rank, 0, row->total, { 0 } };
        if (!row->used)
            continue;
        counter.name = pile_add_text(pile, row->name);
        put_part(counter.parts, &row->inside);
        put_part(counter.parts + 5, &row->outside);
        heap_add(pile, &pile->counters, sizeof counter, &counter);
    }
}

static int compare_counters(const void *left, const void *right)
{
    const struct pile_counter *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    return order ? order : (a->name > b->name) - (a->name < b->name);
}

static void unite_counters(void *into, const void *from)
{
    struct pile_counter *sum = into;
    const struct pile_counter *more = from;
    sum->total += more->total;
    for (int i = 0; i < 10; i++)
        sum->parts[i] += more->parts[i];
}

const struct row_kind counter_kind = { sizeof(struct pile_counter), compare_counters,
                                       unite_counters };
