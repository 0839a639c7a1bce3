/* A profile container being written: shared by the files that write its parts. */
#ifndef ADVISOR_PROFILE_WRITER_H
#define ADVISOR_PROFILE_WRITER_H
#include "pile.h"
#include <stdio.h>

struct strings {
    struct text json;
    uint64_t *hashes;
    size_t count, room;
};
struct writer {
    struct text header;
    struct strings strings;
    FILE *data;
    char *columns;
    size_t columns_size;
    const struct pile *pile;
    int failed;
};

/* One column of a table: `put` writes the value of one row, `size` bytes, to `value`. `unit`, which
 * is not written, is that of advisor/model/columns.py. */
struct column {
    const char *name, *unit, *type;
    size_t size;
    void (*put)(struct writer *, const void *row, void *value);
};

/* Index of a text in the header's "strings": of a name, which no text of a pile shares, and of a
 * text of the pile. */
uint32_t profile_name(struct writer *writer, const char *name);
uint32_t profile_text(struct writer *writer, uint64_t hash);

/* Columns of the tables, each list ended by one without a name; those of `pile->rows` by table. */
extern const struct column *const row_columns[PILE_TABLES];
extern const char *const row_tables[PILE_TABLES];
extern const struct column communicator_columns[], rank_columns[], summary_columns[],
    wait_columns[], late_columns[], phase_columns[], region_columns[], counter_columns[],
    variable_columns[], stack_columns[], overlap_columns[], reference_columns[];

/* Everything of the header before its tables. */
void profile_write_facts(struct writer *writer, const struct profile_facts *facts);

/* The whole composed container. 0: the file does not take it. */
int profile_put(const struct writer *writer, FILE *file);
#endif
