/* Stacks of sampled calls as rows of a pile: added up over ranks at once, since there are as many
 * of them on each rank. */
#include "pile.h"

void pile_add_stacks(struct pile *pile, const struct record *record)
{
    for (int i = 0; i < STACK_ROWS && (!i || record->stacks[i].used); i++) {
        const struct stack_row *row = &record->stacks[i];
        struct pile_stack stack = {
            row->stack, row->level,       row->operation, 0, 0, row->offset, row->count,
            row->time,  row->count_count, row->time_time
        };
        if (!row->used)
            continue;
        stack.module = pile_add_text(pile, record->modules[row->module].path);
        stack.function = pile_add_text(pile, record->modules[row->function].path);
        heap_add(pile, &pile->stacks, sizeof stack, &stack);
    }
}

static int compare_stacks(const void *left, const void *right)
{
    const struct pile_stack *a = left, *b = right;
    int order = (a->stack > b->stack) - (a->stack < b->stack);
    return order ? order : (a->level > b->level) - (a->level < b->level);
}

static void unite_stacks(void *into, const void *from)
{
    struct pile_stack *sum = into;
    const struct pile_stack *more = from;
    sum->count += more->count;
    sum->time += more->time;
    sum->count_count += more->count_count;
    sum->time_time += more->time_time;
}

const struct row_kind stack_kind = { sizeof(struct pile_stack), compare_stacks, unite_stacks };
