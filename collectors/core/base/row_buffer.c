#include "row_buffer.h"
#include <stdlib.h>
#include <string.h>

void *row_buffer_grow(struct row_buffer *buffer, size_t size, size_t more)
{
    if (buffer->count + more > buffer->room) {
        size_t room = buffer->room ? 2 * buffer->room : 64;
        if (room < buffer->count + more)
            room = buffer->count + more;
        void *rows = realloc(buffer->rows, room * size);
        if (!rows)
            return NULL;
        buffer->rows = rows;
        buffer->room = room;
    }
    buffer->count += more;
    return (char *)buffer->rows + (buffer->count - more) * size;
}

/* Neighbours of one key become one row. Are all rows in order then? */
static int combine_neighbours(struct row_buffer *buffer, const struct row_kind *kind)
{
    char *rows = buffer->rows;
    const size_t size = kind->size;
    size_t kept = buffer->count > 0;
    int in_order = 1;
    for (size_t i = 1; i < buffer->count; i++) {
        char *last = rows + (kept - 1) * size;
        const int before = kind->compare(last, rows + i * size);
        in_order &= before <= 0;
        if (before && kept++ != i)
            memmove(last + size, rows + i * size, size);
        else if (!before && kind->combine)
            kind->combine(last, rows + i * size);
    }
    buffer->count = kept;
    return in_order;
}

/* Most rows come in runs of one key, as those of calls in the same slice of time do: what is sorted
 * is a small part of them. */
void row_buffer_sort_and_combine(struct row_buffer *buffer, const struct row_kind *kind)
{
    if (combine_neighbours(buffer, kind))
        return;
    qsort(buffer->rows, buffer->count, kind->size, kind->compare);
    combine_neighbours(buffer, kind);
}

/* How many rows come before `row`: found in steps that double, then by halves. */
static size_t before(const char *rows, size_t count, const char *row, const struct row_kind *kind)
{
    size_t low = 0, step = 1;
    while (step <= count - low && kind->compare(rows + (low + step - 1) * kind->size, row) < 0) {
        low += step;
        step *= 2;
    }
    size_t high = step < count - low ? low + step - 1 : count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kind->compare(rows + middle * kind->size, row) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct part {
    const char *rows;
    size_t count;
};

static char *move(char *to, struct part *from, size_t count, size_t size)
{
    if (count)
        memmove(to, from->rows, count * size);
    from->rows += count * size;
    from->count -= count;
    return to + count * size;
}

/* `right` lies behind `to`, as far as `left` has rows: it is never overwritten before it was read.
 */
static char *merge(char *to, struct part left, struct part right, const struct row_kind *kind)
{
    while (left.count && right.count) {
        to = move(to, &left, before(left.rows, left.count, right.rows, kind), kind->size);
        if (left.count && !kind->compare(left.rows, right.rows)) {
            char *into = to;
            to = move(to, &left, 1, kind->size);
            if (kind->combine)
                kind->combine(into, right.rows);
            right.rows += kind->size;
            right.count--;
        } else if (left.count) {
            to = move(to, &right, before(right.rows, right.count, left.rows, kind), kind->size);
        }
    }
    to = move(to, &left, left.count, kind->size);
    return move(to, &right, right.count, kind->size);
}

int row_buffer_merge(struct row_buffer *buffer, size_t first, const struct row_kind *kind)
{
    char *rows = buffer->rows;
    const size_t size = kind->size;
    if (!first || first >= buffer->count)
        return 1;
    size_t stay = before(rows, first, rows + first * size, kind);
    char *left = malloc((first - stay + 1) * size);
    if (!left)
        return 0;
    memcpy(left, rows + stay * size, (first - stay) * size);
    char *end = merge(rows + stay * size, (struct part){ left, first - stay },
                      (struct part){ rows + first * size, buffer->count - first }, kind);
    buffer->count = (size_t)(end - rows) / size;
    free(left);
    return 1;
}
