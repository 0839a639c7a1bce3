/* The tables of a profile as schema/tables.txt describes them, and how they are written to a file.
 */
#ifndef ADVISOR_TABLE_H
#define ADVISOR_TABLE_H

#include "row_buffer.h"
#include "tables.h"
#include "text.h"
#include <stdio.h>

/* Types of columns. Texts are numbers here: each program has its own lists of them. */
enum form {
    FORM_I2,
    FORM_I4,
    FORM_U1,
    FORM_U4,
    FORM_U8,
    FORM_F8,
    FORM_TEXT,
    FORM_OPERATION,
    FORM_OPERATION_OR_NONE,
    FORM_CLASS,
    FORM_WINDOW_KIND,
};

/* `at`: where the value lies in a row; `aggregated`: written only where ranks are added up. */
struct column {
    uint16_t at;
    uint8_t form, aggregated;
};

/* `words`: name and type of each column, as they are written, one string behind the other. */
struct table {
    const char *name, *words;
    const struct column *columns;
    unsigned count, always;
    struct row_kind rows;
};
extern const struct table tables[TABLES];

/* A profile while it is written: tables and texts in the header, columns in `data`. `string`: where
 * in the header's strings a text is. */
struct table_writer {
    struct text header;
    FILE *data;
    uint32_t (*string)(struct table_writer *writer, enum form form, uint64_t value);
    int aggregated, failed;
};
void table_write(struct table_writer *writer, const struct table *table, const void *rows,
                 size_t count);

/* Magic, header and columns: the whole file. 0: it does not take them. */
int container_write(const struct text *header, const char *columns, size_t size, FILE *file);

#endif
