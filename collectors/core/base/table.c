#include "table.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t sizes[] = { [FORM_I2] = 2, [FORM_I4] = 4, [FORM_U1] = 1,
                                 [FORM_U4] = 4, [FORM_U8] = 8, [FORM_F8] = 8 };

static size_t size_of(const struct column *column)
{
    return column->form < FORM_TEXT ? sizes[column->form] : sizeof(uint32_t);
}

static uint64_t text_at(const struct column *column, const char *row)
{
    uint64_t text;
    uint16_t operation;
    if (column->form == FORM_TEXT)
        return memcpy(&text, row + column->at, sizeof text), text;
    if (column->form <= FORM_OPERATION_OR_NONE)
        return memcpy(&operation, row + column->at, sizeof operation), operation;
    return (uint8_t)row[column->at];
}

/* Each size by itself: a large job has millions of values, and compilers copy so few bytes at once
 * only if they know how many. */
static void put_number(const struct column *column, const char *row, char *to)
{
    switch (sizes[column->form]) {
    case 8:
        memcpy(to, row + column->at, 8);
        break;
    case 4:
        memcpy(to, row + column->at, 4);
        break;
    case 2:
        memcpy(to, row + column->at, 2);
        break;
    default:
        *to = row[column->at];
    }
}

static void put_value(struct table_writer *writer, const struct column *column, const char *row,
                      char *to)
{
    if (column->form < FORM_TEXT) {
        put_number(column, row, to);
        return;
    }
    const uint32_t string = writer->string(writer, column->form, text_at(column, row));
    memcpy(to, &string, sizeof string);
}

static int is_zero(const char *values, size_t bytes)
{
    return bytes && !values[0] && !memcmp(values, values + 1, bytes - 1);
}

/* Many columns are 0 in all rows: what the program does not do, or what went well. They take no
 * bytes. */
static void write_column(struct table_writer *writer, const struct table *table,
                         const struct column *column, const char *words, const char *rows,
                         size_t count)
{
    const size_t size = size_of(column), bytes = count * size, padding = (8 - bytes % 8) % 8;
    char *values = calloc(count ? count : 1, size);
    for (size_t i = 0; values && i < count; i++)
        put_value(writer, column, rows + i * table->rows.size, values + i * size);
    const int zero = values && is_zero(values, bytes);
    text_add(&writer->header, "%s\"%s%s\"", text_separator(&writer->header), words,
             zero ? " 0" : "");
    if (!values)
        writer->failed = 1;
    else if (!zero && (fwrite(values, 1, bytes, writer->data) != bytes ||
                       fwrite("\0\0\0\0\0\0\0", 1, padding, writer->data) != padding))
        writer->failed = 1;
    free(values);
}

void table_write(struct table_writer *writer, const struct table *table, const void *rows,
                 size_t count)
{
    const char *words = table->words;
    text_add(&writer->header, "%s\"%s\":{\"rows\":%zu,\"columns\":[",
             text_separator(&writer->header), table->name, count);
    for (unsigned i = 0; i < table->count; i++, words += strlen(words) + 1)
        if (!table->columns[i].aggregated || writer->aggregated)
            write_column(writer, table, &table->columns[i], words, rows, count);
    text_add(&writer->header, "]}");
}

int container_write(const struct text *header, const char *columns, size_t size, FILE *file)
{
    static const char zeros[64];
    const uint64_t length = header->length, padding = (64 - (16 + length) % 64) % 64;
    return fwrite("ADVISOR\n", 8, 1, file) == 1 && fwrite(&length, 8, 1, file) == 1 &&
           fwrite(header->memory, 1, length, file) == length &&
           fwrite(zeros, 1, padding, file) == padding && fwrite(columns, 1, size, file) == size &&
           fflush(file) == 0;
}
