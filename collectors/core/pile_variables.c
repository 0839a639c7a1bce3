/* What the library says of itself, as rows of a pile. */
#include "pile.h"

void pile_add_variables(struct pile *pile, const struct record *record)
{
    for (int i = 0; i < VARIABLE_ROWS; i++) {
        const struct variable_row *row = &record->variables[i];
        struct pile_variable variable = { record->rank.rank, 0,        0,         1,
                                          row->reads,        row->sum, row->most, row->last };
        if (!row->reads)
            continue;
        variable.name = pile_add_text(pile, row->name);
        variable.kind = pile_add_text(pile, row->kind);
        heap_add(pile, &pile->variables, sizeof variable, &variable);
    }
}

static int compare_variables(const void *left, const void *right)
{
    const struct pile_variable *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    if (!order)
        order = (a->name > b->name) - (a->name < b->name);
    return order ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

static void unite_variables(void *into, const void *from)
{
    struct pile_variable *sum = into;
    const struct pile_variable *more = from;
    sum->ranks += more->ranks;
    sum->reads += more->reads;
    sum->sum += more->sum;
    sum->last += more->last;
    sum->most = more->most > sum->most ? more->most : sum->most;
}

const struct row_kind variable_kind = { sizeof(struct pile_variable), compare_variables,
                                        unite_variables };
