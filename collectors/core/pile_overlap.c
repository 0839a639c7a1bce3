/* What nonblocking messages moved while the ranks did something else, and how long a message takes:
 * added up over ranks at once. */
#include "pile.h"

static int order_of(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_overlaps(const void *left, const void *right)
{
    const struct pile_overlap *a = left, *b = right;
    const int order = order_of(a->path, b->path);
    return order ? order : order_of(a->bin, b->bin);
}

static void unite_overlaps(void *into, const void *from)
{
    struct pile_overlap *sum = into;
    const struct pile_overlap *more = from;
    sum->calls += more->calls;
    sum->messages += more->messages;
    sum->reference += more->reference;
    sum->possible += more->possible;
    sum->achieved += more->achieved;
    sum->starved += more->starved;
    sum->variance += more->variance;
    sum->longer_reference += more->longer_reference;
    sum->longer_possible += more->longer_possible;
    sum->longer_achieved += more->longer_achieved;
}

static int compare_references(const void *left, const void *right)
{
    const struct pile_reference *a = left, *b = right;
    const int order = order_of(a->path, b->path);
    return order ? order : order_of(a->bytes, b->bytes);
}

const struct row_kind overlap_kind = { sizeof(struct pile_overlap), compare_overlaps,
                                       unite_overlaps };
const struct row_kind reference_kind = { sizeof(struct pile_reference), compare_references, NULL };
