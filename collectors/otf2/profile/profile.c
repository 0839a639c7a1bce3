/* Writes the profile container (FORMAT.md): a JSON header that names every column, then the
 * columns. */
#define _GNU_SOURCE
#include "profile.h"
#include <stdlib.h>

/* Texts have their place in the strings already, or a number that gives it. */
static uint32_t string_number(struct table_writer *table, enum form form, uint64_t value)
{
    switch (form) {
    case FORM_OPERATION:
        return operation_string(value);
    case FORM_OPERATION_OR_NONE:
        return value ? operation_string(value - 1) : CLASS_UNKNOWN;
    case FORM_WINDOW_KIND:
        return window_kind_string((struct writer *)table, value);
    default:
        return (uint32_t)value;
    }
}

static void write_tables(struct writer *writer, const struct filled *filled)
{
    for (; filled->fill; filled++) {
        const size_t size = tables[filled->number].rows.size;
        char *rows = NULL;
        size_t count = 0, room = 0;
        for (uint32_t rank = 0; rank < writer->definitions->ranks; rank++) {
            const size_t more = filled->count(writer, rank);
            if (count + more > room)
                rows = xrealloc(rows, room = 2 * (count + more), size);
            for (size_t i = 0; i < more; i++)
                count += filled->fill(writer, rank, i, rows + count * size) != 0;
        }
        if (count)
            table_write(&writer->table, &tables[filled->number], rows, count);
        free(rows);
    }
}

static void write_header(struct writer *writer, const char *creator)
{
    const struct definitions *definitions = writer->definitions;
    text_add(&writer->table.header,
             "{\"format\":\"advisor-profile\",\"version\":[1,0],\"run\":{\"ranks_expected\":%u,"
             "\"program\":",
             definitions->ranks);
    text_add_json(&writer->table.header, writer->ranks[0].program
                                             ? string_of(definitions, writer->ranks[0].program - 1)
                                             : "");
    text_add(&writer->table.header, ",\"collector\":");
    text_add_json(&writer->table.header, creator);
    text_add(&writer->table.header,
             "},\"library\":{},\"application\":null,\"settings\":[],\"nodes\":[");
    for (size_t i = 0; i < definitions->host_count; i++) {
        text_add(&writer->table.header, "%s{\"name\":", text_separator(&writer->table.header));
        text_add_json(&writer->table.header, definitions->hosts[i]);
        text_add(&writer->table.header, ",\"facts\":{}}");
    }
    write_gaps(writer);
    text_add(&writer->table.header, "],\"tables\":{");
    write_tables(writer, rank_tables);
    write_tables(writer, part_tables);
    write_strings(writer);
}

static void mark_used(const struct definitions *definitions, const struct rank *ranks)
{
    for (uint32_t rank = 0; rank < definitions->ranks; rank++)
        for (size_t i = 0; i < ranks[rank].row_count; i++)
            if (key_communicator(ranks[rank].rows[i].key))
                definitions->communicators[key_communicator(ranks[rank].rows[i].key) - 1].used = 1;
    for (size_t i = 0; i < definitions->communicator_count; i++)
        definitions->communicators[i].used |= definitions->communicators[i].is_world;
}

void profile_write(const struct definitions *definitions, const struct results *results,
                   const char *creator, const char *path)
{
    struct writer writer = { .table.string = string_number,
                             .definitions = definitions,
                             .ranks = results->ranks,
                             .results = results,
                             .faults = metered_faults(definitions, results->ranks) };
    writer.table.data = open_memstream(&writer.columns, &writer.size);
    if (!writer.table.data)
        die("there is not enough memory");
    text_start(&writer.table.header, NULL, 0);
    mark_used(definitions, results->ranks);
    write_header(&writer, creator);
    if (fclose(writer.table.data) || writer.table.header.failed || writer.table.failed)
        die("there is not enough memory");
    FILE *file = fopen(path, "we");
    const int good =
        file && container_write(&writer.table.header, writer.columns, writer.size, file);
    if (!file || fclose(file) || !good)
        die("%s cannot be written", path);
}
