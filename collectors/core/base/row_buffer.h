/* Rows in memory that grow, and tidy ones: sorted, and rows of equal key put together. */
#ifndef ADVISOR_ROW_BUFFER_H
#define ADVISOR_ROW_BUFFER_H

#include <stddef.h>

struct row_buffer {
    void *rows;
    size_t count, room;
};

/* `combine` adds a row to another one of the same key; NULL: the first one stays as it is. */
struct row_kind {
    size_t size;
    int (*compare)(const void *left, const void *right);
    void (*combine)(void *into, const void *from);
};

void *row_buffer_grow(struct row_buffer *buffer, size_t size,
                      size_t more); /* the first of `more` new rows; NULL: no memory */
void row_buffer_sort_and_combine(struct row_buffer *buffer,
                                 const struct row_kind *kind); /* rows in any order */
/* Rows before `first` are tidy, and so are those from there on. What lies together is moved
 * together, and what stands right already stays, so ranks that come in their order cost next to
 * nothing. 0: no memory, nothing was changed. */
int row_buffer_merge(struct row_buffer *buffer, size_t first, const struct row_kind *kind);

#endif
