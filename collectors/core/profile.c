/* Writes the profile container: a JSON header that names every column, then the columns. See FORMAT.md. */
#define _GNU_SOURCE
#include "pile.h"
#include "operations.h"
#include "unsampled.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct strings { struct text json; uint64_t *hashes; size_t count, room; };
struct writer { struct text header; struct strings strings; FILE *data; char *columns; size_t columns_size, offset; const struct pile *pile; int failed; };

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
static uint32_t name_index(struct writer *writer, const char *name)
{
    return string_index(writer, (uint64_t)(uintptr_t)name, name);
}

static uint32_t text_index(struct writer *writer, uint64_t hash)
{
    return string_index(writer, hash, pile_text(writer->pile, hash));
}

struct column { const char *name, *unit, *type; size_t size; void (*put)(struct writer *, const void *row, void *value); };

static void write_column(struct writer *writer, const struct column *column, const char *rows, size_t row_size, size_t count)
{
    text_add(&writer->header, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"dtype\":\"%s\",\"offset\":%zu}",
             text_separator(&writer->header), column->name, column->unit, column->type, writer->offset);
    for (size_t i = 0; i < count; i++) {
        char value[8];
        column->put(writer, rows + i * row_size, value);
        if (fwrite(value, column->size, 1, writer->data) != 1)
            writer->failed = 1;
    }
    size_t bytes = count * column->size, padding = (8 - bytes % 8) % 8;
    if (padding && fwrite("\0\0\0\0\0\0\0", padding, 1, writer->data) != 1)
        writer->failed = 1;
    writer->offset += bytes + padding;
}

static void write_columns(struct writer *writer, const struct column *columns, const void *rows, size_t row_size, size_t count)
{
    for (; columns->name; columns++)
        write_column(writer, columns, rows, row_size, count);
}

static void begin_table(struct writer *writer, const char *name, size_t count)
{
    text_add(&writer->header, "%s\"%s\":{\"rows\":%zu,\"columns\":[", text_separator(&writer->header), name, count);
}

static void end_table(struct writer *writer) { text_add(&writer->header, "]}"); }

static void write_table(struct writer *writer, const char *name, const struct column *columns, const void *rows,
                        size_t row_size, size_t count)
{
    begin_table(writer, name, count);
    write_columns(writer, columns, rows, row_size, count);
    end_table(writer);
}

#define PUT(name, row_type, value_type, expression) \
    static void name(struct writer *writer, const void *at, void *to) \
    { const row_type *row = at; (void)writer; value_type value = (value_type)(expression); memcpy(to, &value, sizeof value); }

typedef struct pile_row row_t;
PUT(put_rank, row_t, int32_t, row->rank)
PUT(put_call_operation, row_t, uint32_t, name_index(writer, operation_names[row->first & 0xFFFF]))
PUT(put_call_class, row_t, uint32_t, name_index(writer, class_names[(row->first >> 16 & 0xFF) % CLASS_COUNT]))
PUT(put_call_bin, row_t, int16_t, (int)(row->first >> 24 & 0xFF) - 1)
PUT(put_operation, row_t, uint32_t, name_index(writer, operation_names[row->first]))
PUT(put_second, row_t, uint64_t, row->second)
PUT(put_module, row_t, uint32_t, text_index(writer, row->second))
PUT(put_third, row_t, uint64_t, row->third)
PUT(put_count, row_t, uint64_t, row->count)
PUT(put_bytes, row_t, uint64_t, row->bytes)
PUT(put_time, row_t, double, row->time)
PUT(put_shortest, row_t, double, row->shortest)
PUT(put_longest, row_t, double, row->longest)
PUT(put_peer, row_t, int32_t, (uint32_t)row->first)
PUT(put_path, row_t, uint32_t, name_index(writer, class_names[row->second % CLASS_COUNT]))
PUT(put_kind, row_t, uint32_t, name_index(writer, window_kind_names[row->first % WINDOW_KINDS]))
PUT(put_window_class, row_t, uint32_t, name_index(writer, class_names[row->second % CLASS_COUNT]))

#define TIMES { "count", "count", "<u8", 8, put_count }, { "bytes", "B", "<u8", 8, put_bytes }, \
    { "time", "s", "<f8", 8, put_time }, { "min", "s", "<f8", 8, put_shortest }, { "max", "s", "<f8", 8, put_longest }, { 0 }
static const struct column call_columns[] = { { "rank", "", "<i4", 4, put_rank }, { "operation", "", "text", 4, put_call_operation },
    { "class", "", "text", 4, put_call_class }, { "bin", "", "<i2", 2, put_call_bin }, TIMES };
static const struct column member_columns[] = { { "rank", "", "<i4", 4, put_rank },
    { "communicator", "", "<u8", 8, put_second }, { "operation", "", "text", 4, put_operation }, TIMES };
static const struct column site_columns[] = { { "rank", "", "<i4", 4, put_rank }, { "module", "", "text", 4, put_module },
    { "offset", "", "<u8", 8, put_third }, { "operation", "", "text", 4, put_operation }, TIMES };
static const struct column peer_columns[] = { { "rank", "", "<i4", 4, put_rank }, { "peer", "", "<i4", 4, put_peer },
    { "path", "", "text", 4, put_path }, { "messages", "count", "<u8", 8, put_count }, { "bytes", "B", "<u8", 8, put_bytes }, { 0 } };
static const struct column window_columns[] = { { "rank", "", "<i4", 4, put_rank }, { "kind", "", "text", 4, put_kind },
    { "class", "", "text", 4, put_window_class }, { "count", "count", "<u8", 8, put_count }, { "bytes", "B", "<u8", 8, put_bytes }, { 0 } };
/* Of an operation as a whole: no class, and the bin of sizes that were not kept apart. */
PUT(put_spread_class, row_t, uint32_t, row->third ? name_index(writer, "") : name_index(writer, class_names[(row->first >> 16 & 0xFF) % CLASS_COUNT]))
PUT(put_spread_bin, row_t, int16_t, row->third ? -2 : (int)(row->first >> 24 & 0xFF) - 1)
PUT(put_longest_rank, row_t, int32_t, row->bytes >> 32)
PUT(put_shortest_rank, row_t, int32_t, row->bytes)
static const struct column spread_columns[] = { { "operation", "", "text", 4, put_call_operation }, { "class", "", "text", 4, put_spread_class },
    { "bin", "", "<i2", 2, put_spread_bin }, { "ranks", "count", "<u8", 8, put_count }, { "time", "s", "<f8", 8, put_time },
    { "min", "s", "<f8", 8, put_shortest }, { "max", "s", "<f8", 8, put_longest }, { "min_rank", "", "<i4", 4, put_shortest_rank },
    { "max_rank", "", "<i4", 4, put_longest_rank }, { 0 } };
static const struct column *const row_columns[PILE_TABLES] = { call_columns, member_columns, site_columns, peer_columns, window_columns, spread_columns };
static const char *const row_tables[PILE_TABLES] = { "calls", "members", "sites", "peers", "windows", "spread" };

typedef struct pile_communicator communicator_t;
PUT(put_id, communicator_t, uint64_t, row->id)
PUT(put_name, communicator_t, uint32_t, text_index(writer, row->name))
PUT(put_size, communicator_t, uint32_t, row->size)
PUT(put_nodes, communicator_t, uint32_t, row->nodes)
PUT(put_class, communicator_t, uint32_t, name_index(writer, class_names[row->class % CLASS_COUNT]))
PUT(put_world, communicator_t, uint8_t, row->world)
PUT(put_order, communicator_t, uint32_t, row->order)
PUT(put_freed, communicator_t, uint8_t, row->freed)
static const struct column communicator_columns[] = { { "id", "", "<u8", 8, put_id }, { "name", "", "text", 4, put_name },
    { "size", "count", "<u4", 4, put_size }, { "nodes", "count", "<u4", 4, put_nodes }, { "class", "", "text", 4, put_class },
    { "world", "", "<u1", 1, put_world }, { "order", "", "<u4", 4, put_order }, { "freed", "", "<u1", 1, put_freed }, { 0 } };

typedef struct pile_rank rank_t;
#define RANK_COLUMNS(X) \
    X(rank, "", "<i4", int32_t) X(node, "", "<i4", int32_t) X(pid, "", "<i4", int32_t) X(state, "", "<u4", uint32_t) \
    X(process_begin, "s", "<f8", double) X(init_begin, "s", "<f8", double) X(init_end, "s", "<f8", double) \
    X(finalize_begin, "s", "<f8", double) X(finalize_end, "s", "<f8", double) X(clock_offset, "s", "<f8", double) \
    X(clock_error, "s", "<f8", double) X(thread_requested, "", "<u1", uint8_t) X(thread_provided, "", "<u1", uint8_t) \
    X(threads_called, "count", "<u4", uint32_t) X(threads, "count", "<u4", uint32_t) X(omp_threads, "count", "<u4", uint32_t) \
    X(cores, "count", "<u4", uint32_t) X(memory_peak, "B", "<u8", uint64_t) X(user_time, "s", "<f8", double) \
    X(system_time, "s", "<f8", double) X(voluntary_switches, "count", "<u8", uint64_t) \
    X(involuntary_switches, "count", "<u8", uint64_t) X(major_faults, "count", "<u8", uint64_t) \
    X(events, "count", "<u8", uint64_t) X(event_cost, "s", "<f8", double) X(finalize_cost, "s", "<f8", double) \
    X(folded, "count", "<u8", uint64_t) X(clock_faults, "count", "<u8", uint64_t) X(control_levels, "count", "<u8", uint64_t) \
    X(own_memory, "B", "<u8", uint64_t) X(children, "count", "<u8", uint64_t) X(unmatched, "count", "<u8", uint64_t)
#define X(name, unit, dtype, type) PUT(put_rank_##name, rank_t, type, row->values.name)
RANK_COLUMNS(X)
#undef X
PUT(put_cpus, rank_t, uint32_t, text_index(writer, row->cpus))
static const struct column rank_columns[] = {
#define X(name, unit, dtype, type) { #name, unit, dtype, sizeof(type), put_rank_##name },
    RANK_COLUMNS(X)
#undef X
    { "cpus", "", "text", 4, put_cpus }, { 0 } };
PUT(put_summary_mpi_time, rank_t, double, row->values.mpi_time)
PUT(put_summary_wait_time, rank_t, double, row->values.wait_time)
PUT(put_summary_bytes_sent, rank_t, uint64_t, row->values.bytes_sent)
static const struct column summary_columns[] = { { "mpi_time", "s", "<f8", 8, put_summary_mpi_time }, { "wait_time", "s", "<f8", 8, put_summary_wait_time },
    { "bytes_sent", "B", "<u8", 8, put_summary_bytes_sent }, { 0 } };

typedef struct pile_wait wait_t;
#define WAIT_VALUES(X) X(time, "s") X(duration, "s") X(wait, "s") X(unresolved, "s") X(hideable, "s") X(propagated, "s") X(handed_on, "s") X(set_up, "s") X(wait_wait, "s2") X(wait_duration, "s2") \
    X(duration_duration, "s2")
PUT(put_wait_rank, wait_t, int32_t, row->rank)
PUT(put_wait_operation, wait_t, uint32_t, name_index(writer, operation_names[row->key & 0xFFFF]))
PUT(put_wait_class, wait_t, uint32_t, name_index(writer, class_names[(row->key >> 16 & 0xFF) % CLASS_COUNT]))
PUT(put_wait_after, wait_t, uint32_t, name_index(writer, row->after ? operation_names[row->after] : ""))
PUT(put_wait_bin, wait_t, int16_t, (int)(row->key >> 24 & 0xFF) - 1)
PUT(put_wait_communicator, wait_t, uint64_t, row->communicator)
PUT(put_wait_calls, wait_t, uint64_t, row->calls)
PUT(put_wait_sampled, wait_t, uint64_t, row->sampled)
#define X(name, unit) PUT(put_wait_##name, wait_t, double, row->name)
WAIT_VALUES(X)
#undef X
static const struct column wait_columns[] = { { "rank", "", "<i4", 4, put_wait_rank }, { "operation", "", "text", 4, put_wait_operation },
    { "class", "", "text", 4, put_wait_class }, { "bin", "", "<i2", 2, put_wait_bin },
    { "communicator", "", "<u8", 8, put_wait_communicator }, { "calls", "count", "<u8", 8, put_wait_calls },
    { "sampled", "count", "<u8", 8, put_wait_sampled }, { "after", "", "text", 4, put_wait_after },
#define X(name, unit) { #name, unit, "<f8", 8, put_wait_##name },
    WAIT_VALUES(X)
#undef X
    { 0 } };

typedef struct pile_late late_t;
PUT(put_late_rank, late_t, int32_t, row->rank)
PUT(put_late_class, late_t, uint32_t, name_index(writer, class_names[row->class % CLASS_COUNT]))
PUT(put_late_instances, late_t, double, row->instances)
PUT(put_late_last, late_t, double, row->last)
PUT(put_late_caused, late_t, double, row->caused)
static const struct column late_columns[] = { { "rank", "", "<i4", 4, put_late_rank }, { "class", "", "text", 4, put_late_class },
    { "instances", "count", "<f8", 8, put_late_instances }, { "last", "count", "<f8", 8, put_late_last },
    { "caused", "s", "<f8", 8, put_late_caused }, { 0 } };

typedef struct pile_phase phase_t;
typedef struct pile_region region_t;
#define KINDS(X) X(collective, KIND_COLLECTIVE) X(messages, KIND_MESSAGES) X(completion, KIND_COMPLETION) X(onesided, KIND_ONESIDED) \
    X(io, KIND_IO) X(management, KIND_OTHER)
PUT(put_phase_rank, phase_t, int32_t, row->rank)
PUT(put_phase_ranks, phase_t, uint32_t, row->ranks)
PUT(put_phase_slice, phase_t, uint32_t, row->slice)
PUT(put_phase_width, phase_t, double, row->width)
PUT(put_phase_calls, phase_t, uint64_t, row->calls)
PUT(put_phase_bytes, phase_t, uint64_t, row->bytes)
PUT(put_phase_split, phase_t, double, row->split)
PUT(put_phase_wait, phase_t, double, row->wait)
PUT(put_phase_caused, phase_t, double, row->caused)
#define X(name, kind) PUT(put_phase_##name, phase_t, double, row->time[kind]) PUT(put_region_##name, region_t, double, row->mpi[kind])
KINDS(X)
#undef X
static const struct column phase_columns[] = { { "rank", "", "<i4", 4, put_phase_rank }, { "ranks", "count", "<u4", 4, put_phase_ranks },
    { "slice", "", "<u4", 4, put_phase_slice }, { "width", "s", "<f8", 8, put_phase_width },
#define X(name, kind) { #name, "s", "<f8", 8, put_phase_##name },
    KINDS(X)
#undef X
    { "calls", "count", "<u8", 8, put_phase_calls }, { "bytes", "B", "<u8", 8, put_phase_bytes }, { "split", "s", "<f8", 8, put_phase_split },
    { "wait", "s", "<f8", 8, put_phase_wait }, { "caused", "s", "<f8", 8, put_phase_caused }, { 0 } };
PUT(put_region_rank, region_t, int32_t, row->rank)
PUT(put_region_level, region_t, int32_t, row->level)
PUT(put_region_entries, region_t, uint64_t, row->entries)
PUT(put_region_time, region_t, double, row->time)
PUT(put_region_calls, region_t, uint64_t, row->calls)
PUT(put_region_bytes, region_t, uint64_t, row->bytes)
static const struct column region_columns[] = { { "rank", "", "<i4", 4, put_region_rank }, { "level", "", "<i4", 4, put_region_level },
    { "entries", "count", "<u8", 8, put_region_entries }, { "time", "s", "<f8", 8, put_region_time },
#define X(name, kind) { #name, "s", "<f8", 8, put_region_##name },
    KINDS(X)
#undef X
    { "calls", "count", "<u8", 8, put_region_calls }, { "bytes", "B", "<u8", 8, put_region_bytes }, { 0 } };

typedef struct pile_counter counter_t;
PUT(put_counter_rank, counter_t, int32_t, row->rank)
PUT(put_counter_name, counter_t, uint32_t, text_index(writer, row->name))
PUT(put_counter_total, counter_t, uint64_t, row->total)
#define COUNTER_PARTS(X) X(inside, "count", 0) X(inside_time, "s", 1) X(inside_squares, "", 2) X(inside_products, "", 3) \
    X(inside_time_squares, "s2", 4) X(outside, "count", 5) X(outside_time, "s", 6) X(outside_squares, "", 7) X(outside_products, "", 8) \
    X(outside_time_squares, "s2", 9)
#define X(name, unit, part) PUT(put_counter_##name, counter_t, double, row->parts[part])
COUNTER_PARTS(X)
#undef X
static const struct column counter_columns[] = { { "rank", "", "<i4", 4, put_counter_rank }, { "counter", "", "text", 4, put_counter_name },
    { "total", "count", "<u8", 8, put_counter_total },
#define X(name, unit, part) { #name, unit, "<f8", 8, put_counter_##name },
    COUNTER_PARTS(X)
#undef X
    { 0 } };

typedef struct pile_variable variable_t;
PUT(put_variable_rank, variable_t, int32_t, row->rank)
PUT(put_variable_name, variable_t, uint32_t, text_index(writer, row->name))
PUT(put_variable_kind, variable_t, uint32_t, text_index(writer, row->kind))
PUT(put_variable_ranks, variable_t, uint64_t, row->ranks)
PUT(put_variable_reads, variable_t, uint64_t, row->reads)
PUT(put_variable_sum, variable_t, double, row->sum)
PUT(put_variable_most, variable_t, double, row->most)
PUT(put_variable_last, variable_t, double, row->last)
static const struct column variable_columns[] = { { "rank", "", "<i4", 4, put_variable_rank }, { "variable", "", "text", 4, put_variable_name },
    { "kind", "", "text", 4, put_variable_kind }, { "ranks", "count", "<u8", 8, put_variable_ranks }, { "reads", "count", "<u8", 8, put_variable_reads },
    { "sum", "", "<f8", 8, put_variable_sum }, { "most", "", "<f8", 8, put_variable_most }, { "last", "", "<f8", 8, put_variable_last }, { 0 } };

typedef struct pile_stack frame_t;
PUT(put_stack, frame_t, uint64_t, row->stack)
PUT(put_stack_level, frame_t, uint32_t, row->level)
PUT(put_stack_operation, frame_t, uint32_t, name_index(writer, operation_names[row->operation]))
PUT(put_stack_module, frame_t, uint32_t, text_index(writer, row->module))
PUT(put_stack_offset, frame_t, uint64_t, row->offset)
PUT(put_stack_function, frame_t, uint32_t, text_index(writer, row->function))
PUT(put_stack_count, frame_t, double, row->count)
PUT(put_stack_time, frame_t, double, row->time)
PUT(put_stack_counts, frame_t, double, row->count_count)
PUT(put_stack_times, frame_t, double, row->time_time)
static const struct column stack_columns[] = { { "stack", "", "<u8", 8, put_stack }, { "level", "", "<u4", 4, put_stack_level },
    { "operation", "", "text", 4, put_stack_operation }, { "module", "", "text", 4, put_stack_module }, { "offset", "", "<u8", 8, put_stack_offset },
    { "function", "", "text", 4, put_stack_function }, { "count", "count", "<f8", 8, put_stack_count }, { "time", "s", "<f8", 8, put_stack_time },
    { "count_count", "", "<f8", 8, put_stack_counts }, { "time_time", "s2", "<f8", 8, put_stack_times }, { 0 } };

static void write_rows(struct writer *writer)
{
    const struct pile_row *rows = writer->pile->rows.rows;
    size_t from = 0, count = writer->pile->rows.count;
    for (int table = 0; table < PILE_TABLES; table++) {
        size_t to = from;
        while (to < count && rows[to].table == table)
            to++;
        if (table != PILE_SPREAD || to > from)
            write_table(writer, row_tables[table], row_columns[table], rows + from, sizeof *rows, to - from);
        from = to;
    }
}

static void write_fact(struct text *text, char *line)
{
    char *value = strchr(line, '\t'), *source = value ? strchr(value + 1, '\t') : NULL;
    if (!source)
        return;
    *value++ = 0;
    *source++ = 0;
    char *end;
    strtod(value, &end);
    int bare = (end != value && !*end && strspn(value, "0123456789.-") == strlen(value) && value[0] != '.'
                && !(value[0] == '0' && value[1] >= '0' && value[1] <= '9')) || !strcmp(value, "true") || !strcmp(value, "false");
    text_add(text, "%s", text_separator(text));
    text_add_json(text, line);
    text_add(text, bare ? ":[%s," : ":[", value);
    if (!bare) {
        text_add_json(text, value);
        text_add(text, ",");
    }
    text_add_json(text, source);
    text_add(text, "]");
}

static void write_node(struct writer *writer, const struct pile_node *node)
{
    struct text *text = &writer->header;
    char *facts = strdup(pile_text(writer->pile, node->facts)), *rest = NULL;
    text_add(text, "%s{\"name\":", text_separator(text));
    text_add_json(text, pile_text(writer->pile, node->name));
    text_add(text, ",\"facts\":{");
    for (char *line = facts ? strtok_r(facts, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        write_fact(text, line);
    text_add(text, "}}");
    free(facts);
}

/* By index: `ranks.node` counts them in this order. */
static void write_nodes(struct writer *writer)
{
    const struct pile_node *nodes = writer->pile->nodes.rows;
    text_add(&writer->header, ",\"nodes\":[");
    for (size_t i = 0; i < writer->pile->nodes.count; i++)
        write_node(writer, &nodes[i]);
    text_add(&writer->header, "]");
}

static void write_ranks(struct writer *writer)
{
    const struct heap *ranks = &writer->pile->ranks;
    begin_table(writer, "ranks", ranks->count);
    write_columns(writer, rank_columns, ranks->rows, sizeof(rank_t), ranks->count);
    if (writer->pile->folded)
        write_columns(writer, summary_columns, ranks->rows, sizeof(rank_t), ranks->count);
    end_table(writer);
}

static void write_settings(struct writer *writer, int ranks)
{
    struct text *text = &writer->header;
    const struct pile_setting *settings = writer->pile->settings.rows;
    text_add(text, ",\"settings\":[");
    for (size_t i = 0; i < writer->pile->settings.count; i++) {
        text_add(text, "%s{\"name\":", text_separator(text));
        text_add_json(text, pile_text(writer->pile, settings[i].name));
        text_add(text, ",\"value\":");
        text_add_json(text, pile_text(writer->pile, settings[i].value));
        text_add(text, ",\"source\":");
        text_add_json(text, pile_text(writer->pile, settings[i].source));
        text_add(text, ",\"differs\":%s}", settings[i].ranks < (uint64_t)ranks ? "true" : "false");
    }
    text_add(text, "]");
}

static void write_gap(struct text *text, const char *subject, const char *reason, const char *collect)
{
    text_add(text, "%s{\"subject\":\"%s\",\"reason\":\"%s\",\"collect\":\"%s\"}", text_separator(text), subject, reason, collect);
}

/* Lines name, reason, what would help, parted by tabs. */
static void write_missing_counters(struct text *text, const char *missing)
{
    char line[512], subject[64];
    for (; missing && *missing; missing += strcspn(missing, "\n"), missing += *missing == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(missing, "\n"), missing);
        char *reason = strchr(line, '\t'), *collect = reason ? strchr(reason + 1, '\t') : NULL;
        if (!collect)
            continue;
        *reason++ = *collect++ = 0;
        snprintf(subject, sizeof subject, "counters.%.48s", line);
        write_gap(text, subject, reason, collect);
    }
}

static int has_spawned(const struct pile *pile)
{
    const struct pile_row *rows = pile->rows.rows;
    for (size_t i = 0; i < pile->rows.count; i++)
        if (rows[i].table == PILE_CALLS && !strncmp(operation_names[rows[i].first & 0xFFFF], "Comm_spawn", 10))
            return 1;
    return 0;
}

/* Programs that ranks started by themselves are not ranks of this job. */
static void write_children(struct writer *writer)
{
    const struct pile_rank *ranks = writer->pile->ranks.rows;
    uint64_t children = 0;
    char reason[160];
    for (size_t i = 0; i < writer->pile->ranks.count; i++)
        children += ranks[i].values.children;
    snprintf(reason, sizeof reason, "%llu MPI process%s that ranks started by themselves ran without being measured",
             (unsigned long long)children, children == 1 ? "" : "es");
    if (children)
        write_gap(&writer->header, "children", reason, "a run of that program by itself");
    if (has_spawned(writer->pile))
        write_gap(&writer->header, "children", "processes started by MPI_Comm_spawn ran without being measured", "");
}

static void write_facts(struct writer *writer, const struct profile_facts *facts)
{
    struct text *text = &writer->header;
    text_add(text, "{\"format\":\"advisor-profile\",\"version\":[1,0],\"run\":{},\"library\":{\"text\":");
    text_add_json(text, facts->library_text);
    text_add(text, ",\"path\":");
    text_add_json(text, facts->library_path);
    text_add(text, ",\"standard\":");
    text_add_json(text, facts->standard);
    text_add(text, ",\"facts\":{");
    if (*facts->device) {
        text_add(text, "\"device\":[");
        text_add_json(text, facts->device);
        text_add(text, ",\"MPI_Get_library_version\"]");
    }
    if (*facts->transport) {
        text_add(text, *facts->device ? ",\"transport\":[" : "\"transport\":[");
        text_add_json(text, facts->transport);
        text_add(text, ",\"objects of the library, and what rank 0 held open at the end\"]");
    }
    text_add(text, "}},\"application\":null");
    write_nodes(writer);
    write_settings(writer, facts->ranks);
    text_add(text, ",\"gaps\":[");
    if (writer->pile->folded)
        write_gap(text, "ranks", "There are too many ranks to keep the calls of each: kept are those of the extreme ranks and of some others, of the rest "
                  "sums and how ranks spread", "");
    if (writer->pile->folded_communicators)
        write_gap(text, "communicators", "More communicators were made than the tables hold; the later ones are counted together", "");
    if (*facts->gap)
        write_gap(text, "ranks", facts->gap, "");
    write_missing_counters(text, facts->missing_counters);
    unsampled_gaps(text, writer->pile);
    if (!writer->pile->variables.count)
        write_gap(text, "variables", "The MPI library exports none of the performance variables that are read, or it is Open MPI, whose variables are read "
                  "only if counters are asked for: it opens all its components once more for them", "Open MPI: run again with advisor run --counters; MPICH: built with --enable-mpit-pvars=recvq");
    write_children(writer);
    text_add(text, "],\"groups\":{");
    for (unsigned i = 1; i < operation_count; i++)
        text_add(text, "%s\"%s\":\"%s\"", text_separator(text), operation_names[i], operation_groups[i]);
    text_add(text, "}");
}

static int write_file(struct writer *writer, FILE *file)
{
    static const char zeros[64];
    uint64_t length = writer->header.length;
    size_t padding = (64 - (16 + length) % 64) % 64;
    int good = fwrite("ADVISOR\n", 8, 1, file) == 1 && fwrite(&length, 8, 1, file) == 1
        && fwrite(writer->header.memory, 1, length, file) == length && fwrite(zeros, 1, padding, file) == padding
        && fwrite(writer->columns, 1, writer->columns_size, file) == writer->columns_size;
    return fflush(file) == 0 && good;
}

/* The columns go to memory first, since the header that names their offsets comes before them. */
static int compose(struct writer *writer, const struct profile_facts *facts)
{
    const struct pile *pile = writer->pile;
    write_facts(writer, facts);
    text_add(&writer->header, ",\"tables\":{");
    write_ranks(writer);
    write_table(writer, "communicators", communicator_columns, pile->communicators.rows, sizeof(communicator_t), pile->communicators.count);
    write_rows(writer);
    if (pile->waits.count || pile->late.count) {
        write_table(writer, "waits", wait_columns, pile->waits.rows, sizeof(wait_t), pile->waits.count);
        write_table(writer, "late", late_columns, pile->late.rows, sizeof(late_t), pile->late.count);
    }
    write_table(writer, "phases", phase_columns, pile->phases.rows, sizeof(phase_t), pile->phases.count);
    if (pile->regions.count)
        write_table(writer, "regions", region_columns, pile->regions.rows, sizeof(region_t), pile->regions.count);
    if (pile->counters.count)
        write_table(writer, "counters", counter_columns, pile->counters.rows, sizeof(counter_t), pile->counters.count);
    if (pile->variables.count)
        write_table(writer, "variables", variable_columns, pile->variables.rows, sizeof(variable_t), pile->variables.count);
    if (pile->stacks.count)
        write_table(writer, "stacks", stack_columns, pile->stacks.rows, sizeof(frame_t), pile->stacks.count);
    text_add(&writer->header, "},\"strings\":[%s]}", writer->strings.json.memory ? writer->strings.json.memory : "");
    return fflush(writer->data) == 0 && !writer->failed && !writer->header.failed && !writer->strings.json.failed;
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
    int good = compose_in_memory(&writer, facts) && record_may_grow_to(writer.columns_size + writer.header.length + 256);
    FILE *file = good ? fopen(temporary, "we") : NULL;
    good = file && write_file(&writer, file);
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
