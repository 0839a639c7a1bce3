/* Writes the profile container (FORMAT.md): a JSON header that names every column, then the
 * columns. */
#define _GNU_SOURCE
#include "profile.h"

static size_t size_of(const char *type)
{
    return !strcmp(type, "text") ? 4 : (size_t)(type[2] - '0');
}

static size_t each_cell(struct writer *writer, const struct table *table,
                        const struct column *column)
{
    size_t rows = 0;
    for (uint32_t rank = 0; rank < writer->definitions->ranks; rank++)
        for (size_t i = 0, count = table->rows(writer, rank); i < count; i++)
            if (!table->keep || table->keep(writer, rank, i)) {
                char value[8];
                rows++;
                if (!column)
                    continue;
                column->put(writer, rank, i, value);
                fwrite(value, size_of(column->type), 1, writer->data);
            }
    return rows;
}

static void write_table(struct writer *writer, const struct table *table)
{
    const size_t rows = each_cell(writer, table, NULL);
    if (!rows)
        return;
    text_add(&writer->header, "%s\"%s\":{\"rows\":%zu,\"columns\":[",
             text_separator(&writer->header), table->name, rows);
    for (const struct column *column = table->columns; column->name; column++) {
        const size_t bytes = rows * size_of(column->type), padding = (8 - bytes % 8) % 8;
        text_add(&writer->header,
                 "%s{\"name\":\"%s\",\"unit\":\"%s\",\"dtype\":\"%s\",\"offset\":%zu}",
                 text_separator(&writer->header), column->name, column->unit, column->type,
                 writer->offset);
        each_cell(writer, table, column);
        fwrite("\0\0\0\0\0\0\0", 1, padding, writer->data);
        writer->offset += bytes + padding;
    }
    text_add(&writer->header, "]}");
}

static void write_tables(struct writer *writer, const struct table *tables)
{
    for (const struct table *table = tables; table->name; table++)
        write_table(writer, table);
}

static void write_header(struct writer *writer, const char *creator)
{
    const struct definitions *definitions = writer->definitions;
    text_add(&writer->header,
             "{\"format\":\"advisor-profile\",\"version\":[1,0],\"run\":{\"ranks_expected\":%u,"
             "\"program\":",
             definitions->ranks);
    text_add_json(&writer->header, writer->ranks[0].program
                                       ? string_of(definitions, writer->ranks[0].program - 1)
                                       : "");
    text_add(&writer->header, ",\"collector\":");
    text_add_json(&writer->header, creator);
    text_add(&writer->header, "},\"library\":{},\"application\":null,\"settings\":[],\"nodes\":[");
    for (size_t i = 0; i < definitions->host_count; i++) {
        text_add(&writer->header, "%s{\"name\":", text_separator(&writer->header));
        text_add_json(&writer->header, definitions->hosts[i]);
        text_add(&writer->header, ",\"facts\":{}}");
    }
    write_gaps(writer);
    text_add(&writer->header, "],\"tables\":{");
    write_tables(writer, rank_tables);
    write_tables(writer, part_tables);
    write_strings(writer);
}

static void mark_used(const struct definitions *definitions, const struct rank *ranks)
{
    for (uint32_t rank = 0; rank < definitions->ranks; rank++)
        for (size_t i = 0; i < ranks[rank].row_count; i++)
            if (ranks[rank].rows[i].key >> 32)
                definitions->communicators[(ranks[rank].rows[i].key >> 32) - 1].used = 1;
    for (size_t i = 0; i < definitions->communicator_count; i++)
        definitions->communicators[i].used |= definitions->communicators[i].is_world;
}

void profile_write(const struct definitions *definitions, const struct results *results,
                   const char *creator, const char *path)
{
    static const char zeros[64];
    struct writer writer = { .definitions = definitions,
                             .ranks = results->ranks,
                             .results = results,
                             .faults = metered_faults(definitions, results->ranks) };
    writer.data = open_memstream(&writer.columns, &writer.size);
    if (!writer.data)
        die("there is not enough memory");
    text_start(&writer.header, NULL, 0);
    mark_used(definitions, results->ranks);
    write_header(&writer, creator);
    uint64_t length = writer.header.length;
    if (fclose(writer.data) || writer.header.failed || writer.size != writer.offset)
        die("there is not enough memory");
    FILE *file = fopen(path, "we");
    int good = file && fwrite("ADVISOR\n", 8, 1, file) == 1 && fwrite(&length, 8, 1, file) == 1 &&
               fwrite(writer.header.memory, 1, length, file) == length &&
               fwrite(zeros, 1, (64 - (16 + length) % 64) % 64, file) < 64 &&
               fwrite(writer.columns, 1, writer.size, file) == writer.size;
    if (!file || fclose(file) || !good)
        die("%s cannot be written", path);
}
