/* The record describes itself: a reader needs no knowledge of the C structures. */
#include "record.h"
#include "text.h"
#include <stdio.h>

#define AT(member) offsetof(struct record, member)

/* What a reader must do with a member to get the column. */
enum record_how {
    RECORD_AS_IT_IS,
    RECORD_SECONDS,
    RECORD_MODULE,
    RECORD_COMMUNICATOR,
    RECORD_OPERATION,
    RECORD_CLASS,
    RECORD_KIND
};
static const char *const hows[] = { "",
                                    ",\"scale\":\"seconds_per_tick\"",
                                    ",\"lookup\":\"modules.path\"",
                                    ",\"lookup\":\"communicators.id\"",
                                    ",\"text\":\"operations\"",
                                    ",\"text\":\"classes\"",
                                    ",\"text\":\"kinds\"" };

/* A member of a row: where it is, its bytes, and i, u, f, or S for text of that size. */
struct record_column {
    const char *name;
    uint16_t at;
    uint8_t size;
    char sort;
    uint8_t how;
    int8_t add;
};
struct record_table {
    const char *name;
    size_t offset, rows, row_size;
    int in_block;
    struct {
        uint16_t at;
        uint8_t size;
        char sort;
    } used; /* the member that is not 0 in rows in use */
    const struct record_column *columns;
    size_t count;
};

#define SORT(member) \
    _Generic((member), char *: 'S', float: 'f', double: 'f', int32_t: 'i', default: 'u')
#define RECORD_MEMBER(row, member) \
    offsetof(row, member), sizeof(((row *)0)->member), SORT(((row *)0)->member)
/* Ticks where the column is in seconds; the number of a file where it is its name. */
#define RECORD_TIME(member) _Generic((member), double: RECORD_AS_IT_IS, default: RECORD_SECONDS)
#define RECORD_TEXT(member) _Generic((member), char *: RECORD_AS_IT_IS, default: RECORD_MODULE)
#include "record_tables.h"

static void put_scalar(struct text *text, const char *name, size_t at, size_t size, char sort)
{
    text_add(text, "%s\"%s\":{\"offset\":%zu,\"dtype\":\"<%c%zu\"}", text_separator(text), name,
             RECORD_HEADER_SIZE + at, sort, size);
}

static void put_text(struct text *text, const char *name, size_t at, size_t size)
{
    text_add(text, "%s\"%s\":{\"offset\":%zu,\"size\":%zu}", text_separator(text), name,
             RECORD_HEADER_SIZE + at, size);
}

/* What a reader needs beside the columns of the table ranks. */
#define FURTHER_SCALARS(X)      \
    X(ranks)                    \
    X(blocks)                   \
    X(seconds_per_tick)         \
    X(origin_time)              \
    X(origin_ticks)             \
    X(overflowed_communicators) \
    X(sessions_only)            \
    X(ticks_are_tsc)            \
    X(unsampled)                \
    X(restricted)

static void put_scalars(struct text *text)
{
    text_add(text, ",\"scalars\":{");
#define SCALAR(name)                                                                \
    put_scalar(text, #name, AT(rank.name), sizeof(((struct record *)0)->rank.name), \
               SORT(((struct record *)0)->rank.name));
    RECORD_SCALARS(SCALAR)
    FURTHER_SCALARS(SCALAR)
#undef SCALAR
    text_add(text, "},\"texts\":{");
#define TEXT(name, member) put_text(text, name, AT(member), sizeof((struct record *)0)->member)
    TEXT("library", rank.library);
    TEXT("node", rank.node_name);
    TEXT("cpus", rank.cpu_list);
    TEXT("run", rank.run);
    TEXT("device", rank.device);
    TEXT("transport", rank.transport);
    TEXT("standard", rank.standard);
    TEXT("library_path", rank.library_path);
    TEXT("missing_counters", rank.missing_counters);
    text_add(text, "},");
    TEXT("facts", facts);
    TEXT("settings", settings);
#undef TEXT
}

static void put_names(struct text *text, const char *list, const char *const *names, unsigned count)
{
    text_add(text, ",\"%s\":[", list);
    for (unsigned i = 0; i < count; i++)
        text_add(text, "%s\"%s\"", text_separator(text), names[i]);
    text_add(text, "]");
}

static void put_column(struct text *text, const struct record_column *column)
{
    const char *order = column->sort == 'S' ? "" : "<";
    text_add(text, "%s{\"name\":\"%s\",\"dtype\":\"%s%c%u\",\"at\":%u%s", text_separator(text),
             column->name, order, column->sort, column->size, column->at, hows[column->how]);
    if (column->add)
        text_add(text, ",\"add\":%d", column->add);
    text_add(text, "}");
}

static void put_table(struct text *text, const struct record_table *table)
{
    text_add(text,
             "%s\"%s\":{\"offset\":%zu,\"rows\":%zu,\"row_size\":%zu,\"in_block\":%s,\"used\":",
             text_separator(text), table->name,
             table->offset + (table->in_block ? 0 : RECORD_HEADER_SIZE), table->rows,
             table->row_size, table->in_block ? "true" : "false");
    if (table->used.size)
        text_add(text, "{\"at\":%u,\"dtype\":\"<%c%u\",\"not\":0}", table->used.at,
                 table->used.sort, table->used.size);
    else
        text_add(text, "null");
    text_add(text, ",\"columns\":[");
    for (size_t i = 0; i < table->count; i++)
        put_column(text, &table->columns[i]);
    text_add(text, "]}");
}

/* Two that are no tables of a profile: what other tables name, and what is known of a thread as a
 * whole. */
static const struct record_column module_columns[] = {
    { "path", RECORD_MEMBER(struct module_row, path), RECORD_AS_IT_IS, 0 }
};
static const struct record_column thread_columns[] = {
    { "last", RECORD_MEMBER(struct block, last), RECORD_SECONDS, 0 },
    { "overflowed", RECORD_MEMBER(struct block, overflowed), RECORD_AS_IT_IS, 0 },
    { "clock_faults", RECORD_MEMBER(struct block, clock_faults), RECORD_AS_IT_IS, 0 },
    { "between_polls", RECORD_MEMBER(struct block, between_polls), RECORD_SECONDS, 0 }
};

static void put_tables(struct text *text)
{
    text_add(text, ",\"tables\":{");
    for (size_t i = 0; i < sizeof record_tables / sizeof *record_tables; i++)
        put_table(text, &record_tables[i]);
    put_table(text, &(struct record_table){ "modules",
                                            AT(modules),
                                            MODULE_ROWS,
                                            sizeof(struct module_row),
                                            0,
                                            { RECORD_MEMBER(struct module_row, used) },
                                            module_columns,
                                            1 });
    put_table(text, &(struct record_table){ "threads",
                                            0,
                                            1,
                                            block_stride(),
                                            1,
                                            { 0, 0, 0 },
                                            thread_columns,
                                            sizeof thread_columns / sizeof *thread_columns });
    text_add(text, "}");
}

size_t record_header(char *memory, size_t size, const char *const *operations, unsigned count)
{
    struct text text;
    text_start(&text, memory, size);
    text_add(&text, "{\"format\":\"advisor-record\",\"version\":[1,0]");
    text_add(&text, ",\"blocks\":{\"offset\":%zu,\"stride\":%zu,\"used\":\"blocks\"}",
             record_size(), block_stride());
    put_names(&text, "operations", operations, count);
    put_names(&text, "classes", class_names, CLASS_COUNT);
    put_names(&text, "kinds", window_kind_names, WINDOW_KINDS);
    put_scalars(&text);
    put_tables(&text);
    text_add(&text, "}");
    return text.length;
}
