/* Composes the profile container: a JSON header that names every column, and those that are not all
 * 0. See FORMAT.md. */
#define _GNU_SOURCE
#include "profile_writer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Index of a text in the header's "strings". */
static uint32_t string_index(struct writer *writer, uint64_t hash, const char *value)
{
    struct strings *strings = &writer->strings;
    for (size_t i = 0; i < strings->count; i++)
        if (strings->hashes[i] == hash)
            return (uint32_t)i;
    if (strings->count == strings->room) {
        size_t room = strings->room ? 2 * strings->room : 64;
        uint64_t *hashes = realloc(strings->hashes, room * sizeof *hashes);
        if (!hashes) {
            writer->failed = 1;
            return 0;
        }
        strings->hashes = hashes;
        strings->room = room;
    }
    strings->hashes[strings->count] = hash;
    text_add(&strings->json, "%s", strings->count ? "," : "");
    text_add_json(&strings->json, value);
    return (uint32_t)strings->count++;
}

/* Names of operations, classes and kinds: hashed by address, which no text of a pile shares. */
uint32_t profile_name(struct writer *writer, const char *name)
{
    return string_index(writer, (uint64_t)(uintptr_t)name, name);
}

uint32_t profile_text(struct writer *writer, uint64_t hash)
{
    return string_index(writer, hash, pile_text(writer->pile, hash));
}

static char *put_all(struct writer *writer, const struct column *column, const char *rows,
                     size_t row_size, size_t count)
{
    char *values = calloc(count ? count : 1, column->size);
    if (!values)
        writer->failed = 1;
    for (size_t i = 0; values && i < count; i++)
        column->put(writer, rows + i * row_size, values + i * column->size);
    return values;
}

static int is_zero(const char *values, size_t bytes)
{
    return bytes && !values[0] && !memcmp(values, values + 1, bytes - 1);
}

/* Many columns are 0 in all rows: what the program does not do, or what went well. */
static void write_column(struct writer *writer, const struct column *column, const char *rows,
                         size_t row_size, size_t count)
{
    char *values = put_all(writer, column, rows, row_size, count);
    const size_t bytes = count * column->size, padding = (8 - bytes % 8) % 8;
    const int zero = values && is_zero(values, bytes);
    text_add(&writer->header, "%s\"%s %s%s\"", text_separator(&writer->header), column->name,
             column->type + (*column->type == '<'), zero ? " 0" : "");
    if (values && !zero &&
        (fwrite(values, 1, bytes, writer->data) != bytes ||
         fwrite("\0\0\0\0\0\0\0", 1, padding, writer->data) != padding))
        writer->failed = 1;
    free(values);
}

static void write_columns(struct writer *writer, const struct column *columns, const void *rows,
                          size_t row_size, size_t count)
{
    for (; columns->name; columns++)
        write_column(writer, columns, rows, row_size, count);
}

static void begin_table(struct writer *writer, const char *name, size_t count)
{
    text_add(&writer->header, "%s\"%s\":{\"rows\":%zu,\"columns\":[",
             text_separator(&writer->header), name, count);
}

static void end_table(struct writer *writer)
{
    text_add(&writer->header, "]}");
}

static void write_table(struct writer *writer, const char *name, const struct column *columns,
                        const void *rows, size_t row_size, size_t count)
{
    begin_table(writer, name, count);
    write_columns(writer, columns, rows, row_size, count);
    end_table(writer);
}

static void write_rows(struct writer *writer)
{
    const struct pile_row *rows = writer->pile->rows.rows;
    size_t from = 0, count = writer->pile->rows.count;
    for (int table = 0; table < PILE_TABLES; table++) {
        size_t to = from;
        while (to < count && rows[to].table == table)
            to++;
        if (table != PILE_SPREAD || to > from)
            write_table(writer, row_tables[table], row_columns[table], rows + from, sizeof *rows,
                        to - from);
        from = to;
    }
}

static void write_ranks(struct writer *writer)
{
    const struct heap *ranks = &writer->pile->ranks;
    begin_table(writer, "ranks", ranks->count);
    write_columns(writer, rank_columns, ranks->rows, sizeof(struct pile_rank), ranks->count);
    if (writer->pile->folded)
        write_columns(writer, summary_columns, ranks->rows, sizeof(struct pile_rank), ranks->count);
    end_table(writer);
}

/* The columns go to memory first, since the header that names their offsets comes before them. */
static int compose(struct writer *writer, const struct profile_facts *facts)
{
    const struct pile *pile = writer->pile;
    profile_write_facts(writer, facts);
    text_add(&writer->header, ",\"tables\":{");
    write_ranks(writer);
    write_table(writer, "communicators", communicator_columns, pile->communicators.rows,
                sizeof(struct pile_communicator), pile->communicators.count);
    write_rows(writer);
    if (pile->waits.count || pile->late.count) {
        write_table(writer, "waits", wait_columns, pile->waits.rows, sizeof(struct pile_wait),
                    pile->waits.count);
        write_table(writer, "late", late_columns, pile->late.rows, sizeof(struct pile_late),
                    pile->late.count);
    }
    write_table(writer, "phases", phase_columns, pile->phases.rows, sizeof(struct pile_phase),
                pile->phases.count);
    if (pile->regions.count)
        write_table(writer, "regions", region_columns, pile->regions.rows,
                    sizeof(struct pile_region), pile->regions.count);
    if (pile->counters.count)
        write_table(writer, "counters", counter_columns, pile->counters.rows,
                    sizeof(struct pile_counter), pile->counters.count);
    if (pile->variables.count)
        write_table(writer, "variables", variable_columns, pile->variables.rows,
                    sizeof(struct pile_variable), pile->variables.count);
    if (pile->stacks.count)
        write_table(writer, "stacks", stack_columns, pile->stacks.rows, sizeof(struct pile_stack),
                    pile->stacks.count);
    if (pile->overlaps.count)
        write_table(writer, "overlap", overlap_columns, pile->overlaps.rows,
                    sizeof(struct pile_overlap), pile->overlaps.count);
    if (pile->references.count)
        write_table(writer, "references", reference_columns, pile->references.rows,
                    sizeof(struct pile_reference), pile->references.count);
    text_add(&writer->header, "},\"strings\":[%s]}",
             writer->strings.json.memory ? writer->strings.json.memory : "");
    return fflush(writer->data) == 0 && !writer->failed && !writer->header.failed &&
           !writer->strings.json.failed;
}

static int compose_in_memory(struct writer *writer, const struct profile_facts *facts)
{
    text_start(&writer->header, NULL, 0);
    text_start(&writer->strings.json, NULL, 0);
    writer->data = open_memstream(&writer->columns, &writer->columns_size);
    int good = writer->data && compose(writer, facts);
    if (writer->data)
        good = fclose(writer->data) == 0 && good;
    return good;
}

int profile_write(const struct pile *pile, const struct profile_facts *facts, const char *path)
{
    char temporary[4200];
    struct writer writer = { .pile = pile };
    snprintf(temporary, sizeof temporary, "%.4000s.tmp", path);
    int good = compose_in_memory(&writer, facts);
    if (good && !record_may_grow_to(writer.columns_size + writer.header.length + 256)) {
        good = 0;
        errno = EFBIG;
    }
    FILE *file = good ? fopen(temporary, "we") : NULL;
    good = file && profile_put(&writer, file);
    if (file)
        good = fclose(file) == 0 && good;
    if (file && (!good || rename(temporary, path))) {
        unlink(temporary);
        good = 0;
    }
    free(writer.columns);
    free(writer.strings.hashes);
    text_end(&writer.header);
    text_end(&writer.strings.json);
    return good;
}
