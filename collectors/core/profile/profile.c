/* Composes the profile container: a JSON header that names every column, and those that are not all
 * 0. See FORMAT.md. */
#define _GNU_SOURCE
#include "profile.h"
#include "file_room.h"
#include "operations.h"
#include "spool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct strings {
    struct text json;
    uint64_t *hashes;
    size_t count, room;
};
/* `table` is the first, so that it stands for the whole where a table is written. */
struct writer {
    struct table_writer table;
    struct strings strings;
    char *columns;
    size_t size;
    const struct merged *merged;
};

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
            writer->table.failed = 1;
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

/* Names of operations, classes and kinds: hashed by address, which no text of the ranks shares. */
static uint32_t name_index(struct writer *writer, const char *name)
{
    return string_index(writer, (uint64_t)(uintptr_t)name, name);
}

static uint32_t string_of(struct table_writer *table, enum form form, uint64_t value)
{
    struct writer *writer = (struct writer *)table;
    switch (form) {
    case FORM_OPERATION:
        return name_index(writer, operation_names[value]);
    case FORM_OPERATION_OR_NONE:
        return name_index(writer, value ? operation_names[value] : "");
    case FORM_CLASS:
        return name_index(writer, value < CLASS_COUNT ? class_names[value] : "");
    case FORM_WINDOW_KIND:
        return name_index(writer, window_kind_names[value % WINDOW_KINDS]);
    default:
        return string_index(writer, value, merged_text(writer->merged, value));
    }
}

static int is_written(const struct merged *merged, int table)
{
    /* Of these two, which are made together, the other one is there too. */
    if (table == TABLE_WAITS || table == TABLE_DELAYS)
        return merged->tables[TABLE_WAITS].count || merged->tables[TABLE_DELAYS].count;
    return tables[table].count && (tables[table].always || merged->tables[table].count);
}

/* The columns go to memory first, since the header that names them comes before them. */
static int compose(struct writer *writer, const struct profile_facts *facts)
{
    struct table_writer *table = &writer->table;
    profile_write_facts(&table->header, writer->merged, facts);
    text_add(&table->header, ",\"tables\":{");
    for (int i = 0; i < TABLES; i++)
        if (is_written(writer->merged, i))
            table_write(table, &tables[i], writer->merged->tables[i].rows,
                        writer->merged->tables[i].count);
    text_add(&table->header, "},\"strings\":[%s]}",
             writer->strings.json.memory ? writer->strings.json.memory : "");
    return fflush(table->data) == 0 && !table->failed && !table->header.failed &&
           !writer->strings.json.failed;
}

static int compose_in_memory(struct writer *writer, const struct profile_facts *facts)
{
    text_start(&writer->table.header, NULL, 0);
    text_start(&writer->strings.json, NULL, 0);
    writer->table.data = open_memstream(&writer->columns, &writer->size);
    int good = writer->table.data && compose(writer, facts);
    if (writer->table.data)
        good = fclose(writer->table.data) == 0 && good;
    return good;
}

static void end_writer(struct writer *writer)
{
    free(writer->columns);
    free(writer->strings.hashes);
    text_end(&writer->table.header);
    text_end(&writer->strings.json);
}

static int write_file(const struct writer *writer, const char *path)
{
    char temporary[4200];
    snprintf(temporary, sizeof temporary, "%.4000s.tmp", path);
    if (!file_may_grow_to(writer->size + writer->table.header.length + 256)) {
        errno = EFBIG;
        return 0;
    }
    FILE *file = fopen(temporary, "we");
    int good = file && container_write(&writer->table.header, writer->columns, writer->size, file);
    if (file)
        good = fclose(file) == 0 && good;
    if (file && (!good || rename(temporary, path))) {
        unlink(temporary);
        good = 0;
    }
    return good;
}

int profile_write(const struct merged *merged, const struct profile_facts *facts, const char *path)
{
    struct writer writer = { .table = { .string = string_of, .aggregated = merged->aggregated },
                             .merged = merged };
    const int good = compose_in_memory(&writer, facts) && write_file(&writer, path);
    const int why = errno;
    end_writer(&writer);
    errno = why;
    return good;
}

/* Complete in memory before the spool is touched. */
int profile_to_spool(const struct merged *merged, const struct profile_facts *facts)
{
    struct writer writer = { .table = { .string = string_of, .aggregated = merged->aggregated },
                             .merged = merged };
    char *bytes = NULL;
    size_t size = 0;
    int good = compose_in_memory(&writer, facts);
    FILE *file = good ? open_memstream(&bytes, &size) : NULL;
    good = file && container_write(&writer.table.header, writer.columns, writer.size, file);
    if (file)
        good = fclose(file) == 0 && good;
    good = good && spool_deliver(bytes, size);
    free(bytes);
    end_writer(&writer);
    return good;
}
