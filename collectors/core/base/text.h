/* Text that grows into a given piece of memory, or into memory of its own. */
#ifndef ADVISOR_TEXT_H
#define ADVISOR_TEXT_H

#include <stddef.h>

struct text {
    char *memory;
    size_t length, size;
    int grows; /* memory is ours and may be reallocated */
    int failed;
};

void text_start(struct text *text, char *memory, size_t size); /* memory NULL: grows */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_json(struct text *text,
                   const char *value); /* with quotes, escaped, invalid UTF-8 replaced by ? */
const char *text_separator(const struct text *text); /* "" after { [ or nothing, else "," */
void text_end(struct text *text);                    /* frees what grew */

#endif
