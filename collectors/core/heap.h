/* Rows in memory that grow, and tidy ones: sorted, and rows of equal key put together. */
#ifndef ADVISOR_HEAP_H
#define ADVISOR_HEAP_H

#include <stddef.h>

struct heap {
    void *rows;
    size_t count, room;
};

/* `unite` adds a row to another one of the same key; NULL: the first one stays as it is. */
struct row_kind {
    size_t size;
    int (*compare)(const void *left, const void *right);
    void (*unite)(void *into, const void *from);
};

void *heap_grow(struct heap *heap, size_t size,
                size_t more); /* the first of `more` new rows; NULL: no memory */
void heap_tidy(struct heap *heap, const struct row_kind *kind); /* rows in any order */
/* Rows before `first` are tidy, and so are those from there on. What lies together is moved
 * together, and what stands right already stays, so ranks that come in their order cost next to
 * nothing. 0: no memory, nothing was changed. */
int heap_join(struct heap *heap, size_t first, const struct row_kind *kind);

#endif
