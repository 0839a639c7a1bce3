/* Writes the profile container (FORMAT.md): a JSON header that names every column, then the columns. */
#define _GNU_SOURCE
#include "trace.h"
#include "text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names of regions and operations follow each other in `strings`: classes first, then operations, regions' names, their files. */
struct writer {
    struct text header;
    FILE *data;
    char *columns;
    size_t size, offset;
    const struct definitions *definitions;
    const struct rank *ranks;
    const struct results *results;
    const uint8_t *faults;                  /* of counters: why they are not there */
};

/* One cell of a table: row `i` of rank `rank`, or of the whole. */
typedef void cell(const struct writer *writer, uint32_t rank, size_t i, void *to);
struct column { const char *name, *unit, *type; cell *put; };
typedef int keeps(const struct writer *writer, uint32_t rank, size_t i);
struct table { const char *name; size_t (*rows)(const struct writer *, uint32_t rank); keeps *keep; const struct column *columns; };

static size_t size_of(const char *type) { return !strcmp(type, "text") ? 4 : (size_t)(type[2] - '0'); }

static size_t each_cell(struct writer *writer, const struct table *table, const struct column *column)
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
    text_add(&writer->header, "%s\"%s\":{\"rows\":%zu,\"columns\":[", text_separator(&writer->header), table->name, rows);
    for (const struct column *column = table->columns; column->name; column++) {
        const size_t bytes = rows * size_of(column->type), padding = (8 - bytes % 8) % 8;
        text_add(&writer->header, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"dtype\":\"%s\",\"offset\":%zu}", text_separator(&writer->header),
                 column->name, column->unit, column->type, writer->offset);
        each_cell(writer, table, column);
        fwrite("\0\0\0\0\0\0\0", 1, padding, writer->data);
        writer->offset += bytes + padding;
    }
    text_add(&writer->header, "]}");
}

static double seconds(const struct writer *writer, uint64_t ticks) { return (double)ticks / (double)writer->definitions->resolution; }

static uint32_t group_size(const struct writer *writer, uint32_t group)
{
    const uint32_t each = writer->results->slicing.ranks_a_group, first = group * each, ranks = writer->definitions->ranks;
    return first + each < ranks ? each : ranks - first;
}

/* Seconds since the epoch if the archive says when that was, else since its begin. */
static double moment(const struct writer *writer, uint64_t ticks)
{
    const struct definitions *definitions = writer->definitions;
    const double begin = definitions->real_time == OTF2_UNDEFINED_TIMESTAMP ? 0 : (double)definitions->real_time / 1e9;
    return begin + (double)(int64_t)(ticks - definitions->offset) / (double)definitions->resolution;
}

#define PUT(name, type, expression) \
    static void name(const struct writer *writer, uint32_t rank, size_t i, void *to) \
    { (void)writer, (void)rank, (void)i; type value = (type)(expression); memcpy(to, &value, sizeof value); }
#define RANK (&writer->ranks[rank])
#define ROW (&writer->ranks[rank].rows[i])
PUT(put_rank, int32_t, rank)
PUT(put_operation, uint32_t, CLASSES + (ROW->key & 0xFFFF))
PUT(put_class, uint32_t, ROW->key >> 16 & 0xFF)
PUT(put_bin, int16_t, (int)(ROW->key >> 24 & 0xFF) - 2)
PUT(put_communicator, uint64_t, ROW->key >> 32)
PUT(put_count, uint64_t, ROW->count)
PUT(put_bytes, uint64_t, ROW->bytes)
PUT(put_time, double, seconds(writer, ROW->time))
PUT(put_shortest, double, seconds(writer, ROW->shortest))
PUT(put_longest, double, seconds(writer, ROW->longest))
PUT(put_judged, uint64_t, ROW->judged)
PUT(put_known, uint64_t, ROW->known)
PUT(put_judged_time, double, seconds(writer, ROW->judged_time))
PUT(put_duration, double, seconds(writer, ROW->duration))
PUT(put_wait, double, seconds(writer, ROW->wait))
PUT(put_nothing, double, 0)
PUT(put_wrong_order, double, seconds(writer, ROW->wrong_order))
/* Callers are regions, behind them sites. */
static size_t callers(const struct writer *writer) { return writer->definitions->region_count + writer->definitions->site_count; }
static uint32_t line_of(const struct definitions *definitions, uint64_t caller)
{
    return caller < definitions->region_count ? 0 : definitions->sites[caller - definitions->region_count].line;
}
static uint32_t name_string(const struct writer *writer, size_t region) { return (uint32_t)(CLASSES + writer->definitions->operation_count + 2 * region); }
PUT(put_module, uint32_t, CLASS_UNKNOWN)
PUT(put_offset, uint64_t, ROW->caller)
PUT(put_function, uint32_t, name_string(writer, ROW->caller - 1))
PUT(put_file, uint32_t, name_string(writer, ROW->caller - 1) + 1)
PUT(put_line, uint32_t, line_of(writer->definitions, ROW->caller - 1))
#define TIMES { "count", "count", "<u8", put_count }, { "bytes", "B", "<u8", put_bytes }, { "time", "s", "<f8", put_time }, \
    { "min", "s", "<f8", put_shortest }, { "max", "s", "<f8", put_longest }, { 0 }
static const struct column call_columns[] = { { "rank", "", "<i4", put_rank }, { "operation", "", "text", put_operation },
    { "class", "", "text", put_class }, { "bin", "", "<i2", put_bin }, TIMES };
static const struct column member_columns[] = { { "rank", "", "<i4", put_rank }, { "communicator", "", "<u8", put_communicator },
    { "operation", "", "text", put_operation }, TIMES };
static const struct column site_columns[] = { { "rank", "", "<i4", put_rank }, { "module", "", "text", put_module },
    { "offset", "", "<u8", put_offset }, { "operation", "", "text", put_operation }, { "function", "", "text", put_function },
    { "file", "", "text", put_file }, { "line", "", "<u4", put_line }, TIMES };
static const struct column wait_columns[] = { { "rank", "", "<i4", put_rank }, { "communicator", "", "<u8", put_communicator },
    { "operation", "", "text", put_operation }, { "class", "", "text", put_class }, { "bin", "", "<i2", put_bin },
    { "calls", "count", "<u8", put_judged }, { "sampled", "count", "<u8", put_known }, { "time", "s", "<f8", put_judged_time },
    { "duration", "s", "<f8", put_duration }, { "wait", "s", "<f8", put_wait }, { "unresolved", "s", "<f8", put_nothing },
    { "wrong_order", "s", "<f8", put_wrong_order }, { 0 } };
static size_t rows_of(const struct writer *writer, uint32_t rank) { return writer->ranks[rank].row_count; }
static int is_member_row(const struct writer *writer, uint32_t rank, size_t i) { return ROW->key >> 32 != 0; }
static int has_caller(const struct writer *writer, uint32_t rank, size_t i) { return ROW->caller != 0; }
static int is_known(const struct writer *writer, uint32_t rank, size_t i) { return ROW->known != 0; }

#define PEER (&writer->ranks[rank].peers[i])
PUT(put_peer, int32_t, PEER->key >> 8)
PUT(put_path, uint32_t, PEER->key & 0xFF)
PUT(put_messages, uint64_t, PEER->messages)
PUT(put_sent, uint64_t, PEER->bytes)
static const struct column peer_columns[] = { { "rank", "", "<i4", put_rank }, { "peer", "", "<i4", put_peer }, { "path", "", "text", put_path },
    { "messages", "count", "<u8", put_messages }, { "bytes", "B", "<u8", put_sent }, { 0 } };
static size_t peers_of(const struct writer *writer, uint32_t rank) { return writer->ranks[rank].peer_room; }
static int is_peer(const struct writer *writer, uint32_t rank, size_t i) { return PEER->messages != 0; }

PUT(put_late_class, uint32_t, i)
PUT(put_instances, double, RANK->late[i].instances)
PUT(put_last, double, RANK->late[i].last)
PUT(put_caused, double, seconds(writer, RANK->late[i].caused))
static const struct column late_columns[] = { { "rank", "", "<i4", put_rank }, { "class", "", "text", put_late_class },
    { "instances", "count", "<f8", put_instances }, { "last", "count", "<f8", put_last }, { "caused", "s", "<f8", put_caused }, { 0 } };
static size_t classes(const struct writer *writer, uint32_t rank) { (void)writer, (void)rank; return CLASSES; }
static int has_late(const struct writer *writer, uint32_t rank, size_t i) { return RANK->late[i].instances || RANK->late[i].caused; }

PUT(put_kind, uint32_t, name_string(writer, callers(writer)) + i / CLASSES)
PUT(put_window_class, uint32_t, i % CLASSES)
PUT(put_windows, uint64_t, RANK->windows[i])
static const struct column window_columns[] = { { "rank", "", "<i4", put_rank }, { "kind", "", "text", put_kind },
    { "class", "", "text", put_window_class }, { "count", "count", "<u8", put_windows }, { 0 } };
static size_t window_kinds(const struct writer *writer, uint32_t rank) { (void)writer, (void)rank; return 4 * CLASSES; }
static int has_windows(const struct writer *writer, uint32_t rank, size_t i) { return RANK->windows[i] != 0; }

PUT(put_node, int32_t, writer->definitions->host_of[rank])
PUT(put_state, uint32_t, RANK->state ? RANK->state : RANK->init_begin ? 1 : 2)
PUT(put_process_begin, double, moment(writer, RANK->first))
PUT(put_init_begin, double, moment(writer, RANK->init_begin ? RANK->init_begin : RANK->first))
PUT(put_init_end, double, moment(writer, RANK->init_end ? RANK->init_end : RANK->first))
PUT(put_finalize_begin, double, moment(writer, RANK->finalize_begin ? RANK->finalize_begin : RANK->last))
PUT(put_finalize_end, double, moment(writer, RANK->finalize_end ? RANK->finalize_end : RANK->last))
PUT(put_threads, uint32_t, RANK->threads)
PUT(put_events, uint64_t, RANK->events)
PUT(put_folded, uint64_t, RANK->folded)
PUT(put_faults, uint64_t, RANK->faults)
PUT(put_unmatched, uint64_t, RANK->unmatched)
static const struct column rank_columns[] = { { "rank", "", "<i4", put_rank }, { "node", "", "<i4", put_node }, { "state", "", "<u4", put_state },
    { "process_begin", "s", "<f8", put_process_begin }, { "init_begin", "s", "<f8", put_init_begin }, { "init_end", "s", "<f8", put_init_end },
    { "finalize_begin", "s", "<f8", put_finalize_begin }, { "finalize_end", "s", "<f8", put_finalize_end },
    { "threads_called", "count", "<u4", put_threads }, { "events", "count", "<u8", put_events }, { "folded", "count", "<u8", put_folded },
    { "clock_faults", "count", "<u8", put_faults }, { "unmatched", "count", "<u8", put_unmatched }, { 0 } };
static size_t one(const struct writer *writer, uint32_t rank) { (void)writer, (void)rank; return 1; }

#define COMMUNICATOR (&writer->definitions->communicators[i])
PUT(put_id, uint64_t, i + 1)
PUT(put_name, uint32_t, name_string(writer, callers(writer)) + 4 + i)
PUT(put_size, uint32_t, COMMUNICATOR->size + COMMUNICATOR->size_far)
PUT(put_nodes, uint32_t, COMMUNICATOR->nodes)
PUT(put_communicator_class, uint32_t, COMMUNICATOR->class)
PUT(put_world, uint8_t, COMMUNICATOR->is_world)
PUT(put_order, uint32_t, i)
static const struct column communicator_columns[] = { { "id", "", "<u8", put_id }, { "name", "", "text", put_name },
    { "size", "count", "<u4", put_size }, { "nodes", "count", "<u4", put_nodes }, { "class", "", "text", put_communicator_class },
    { "world", "", "<u1", put_world }, { "order", "", "<u4", put_order }, { 0 } };
static size_t communicators(const struct writer *writer, uint32_t rank) { return rank ? 0 : writer->definitions->communicator_count; }
static int is_used(const struct writer *writer, uint32_t rank, size_t i) { (void)rank; return COMMUNICATOR->used; }

#define SLICE (&writer->results->slices[(size_t)rank * SLICES + i])
PUT(put_first_rank, int32_t, rank * writer->results->slicing.ranks_a_group)
PUT(put_group_ranks, uint32_t, group_size(writer, rank))
PUT(put_slice, uint32_t, i)
PUT(put_width, double, writer->results->slicing.width / (double)writer->definitions->resolution)
PUT(put_collective, double, seconds(writer, SLICE->kinds[SLICE_COLLECTIVE]))
PUT(put_messages_time, double, seconds(writer, SLICE->kinds[SLICE_MESSAGES]))
PUT(put_completion, double, seconds(writer, SLICE->kinds[SLICE_COMPLETION]))
PUT(put_onesided, double, seconds(writer, SLICE->kinds[SLICE_ONESIDED]))
PUT(put_io, double, seconds(writer, SLICE->kinds[SLICE_IO]))
PUT(put_management, double, seconds(writer, SLICE->kinds[SLICE_MANAGEMENT]))
PUT(put_slice_calls, uint64_t, SLICE->calls)
PUT(put_slice_bytes, uint64_t, SLICE->bytes)
PUT(put_split, double, seconds(writer, SLICE->split))
PUT(put_slice_wait, double, seconds(writer, SLICE->wait))
PUT(put_slice_caused, double, seconds(writer, SLICE->caused))
static const struct column phase_columns[] = { { "rank", "", "<i4", put_first_rank }, { "ranks", "count", "<u4", put_group_ranks }, { "slice", "", "<u4", put_slice },
    { "width", "s", "<f8", put_width }, { "collective", "s", "<f8", put_collective }, { "messages", "s", "<f8", put_messages_time },
    { "completion", "s", "<f8", put_completion }, { "onesided", "s", "<f8", put_onesided }, { "io", "s", "<f8", put_io },
    { "management", "s", "<f8", put_management }, { "calls", "count", "<u8", put_slice_calls }, { "bytes", "B", "<u8", put_slice_bytes },
    { "split", "s", "<f8", put_split }, { "wait", "s", "<f8", put_slice_wait }, { "caused", "s", "<f8", put_slice_caused }, { 0 } };
static size_t slices(const struct writer *writer, uint32_t rank) { return rank < writer->results->slicing.groups ? SLICES : 0; }
static int has_calls(const struct writer *writer, uint32_t rank, size_t i)
{
    static const struct slice nothing;
    return memcmp(SLICE, &nothing, sizeof nothing) != 0;
}

#define MARKED (&RANK->marked[i])
PUT(put_level, int32_t, MARKED->level)
PUT(put_marked_name, uint32_t, MARKED->name ? name_string(writer, MARKED->name - 1) : CLASS_UNKNOWN)
PUT(put_entries, uint64_t, MARKED->entries)
PUT(put_marked_time, double, seconds(writer, MARKED->ticks))
#define MARKED_KIND(name, kind) PUT(name, double, seconds(writer, MARKED->kinds[kind]))
MARKED_KIND(put_marked_collective, SLICE_COLLECTIVE)
MARKED_KIND(put_marked_messages, SLICE_MESSAGES)
MARKED_KIND(put_marked_completion, SLICE_COMPLETION)
MARKED_KIND(put_marked_onesided, SLICE_ONESIDED)
MARKED_KIND(put_marked_io, SLICE_IO)
MARKED_KIND(put_marked_management, SLICE_MANAGEMENT)
PUT(put_marked_calls, uint64_t, MARKED->calls)
PUT(put_marked_bytes, uint64_t, MARKED->bytes)
static const struct column marked_columns[] = { { "rank", "", "<i4", put_rank }, { "level", "", "<i4", put_level }, { "name", "", "text", put_marked_name },
    { "entries", "count", "<u8", put_entries }, { "time", "s", "<f8", put_marked_time }, { "collective", "s", "<f8", put_marked_collective },
    { "messages", "s", "<f8", put_marked_messages }, { "completion", "s", "<f8", put_marked_completion }, { "onesided", "s", "<f8", put_marked_onesided },
    { "io", "s", "<f8", put_marked_io }, { "management", "s", "<f8", put_marked_management }, { "calls", "count", "<u8", put_marked_calls },
    { "bytes", "B", "<u8", put_marked_bytes }, { 0 } };
static size_t marked_rows(const struct writer *writer, uint32_t rank) { return RANK->marked_count; }

#define METERED (&RANK->metered[i])
#define METERED_SIDE(side, name, member, unit) PUT(put_##side##_##name, double, METERED->sides[side].member / unit)
#define RESOLUTION ((double)writer->definitions->resolution)
#define METERED_SIDES(side) METERED_SIDE(side, count, count, 1) METERED_SIDE(side, time, time, RESOLUTION) METERED_SIDE(side, squares, squares, 1) \
    METERED_SIDE(side, products, products, RESOLUTION) METERED_SIDE(side, time_squares, time_squares, (RESOLUTION * RESOLUTION))
PUT(put_metric, uint32_t, name_string(writer, callers(writer)) + 4 + writer->definitions->communicator_count + i)
PUT(put_total, uint64_t, METERED->total + 0.5)
METERED_SIDES(SIDE_INSIDE)
METERED_SIDES(SIDE_OUTSIDE)
#define METERED_COLUMNS(side, name) { name, "count", "<f8", put_##side##_count }, { name "_time", "s", "<f8", put_##side##_time }, \
    { name "_squares", "", "<f8", put_##side##_squares }, { name "_products", "", "<f8", put_##side##_products }, { name "_time_squares", "s2", "<f8", put_##side##_time_squares }
static const struct column counter_columns[] = { { "rank", "", "<i4", put_rank }, { "counter", "", "text", put_metric }, { "total", "count", "<u8", put_total },
    METERED_COLUMNS(SIDE_INSIDE, "inside"), METERED_COLUMNS(SIDE_OUTSIDE, "outside"), { 0 } };
static size_t metrics(const struct writer *writer, uint32_t rank) { return RANK->metered ? writer->definitions->metric_count : 0; }
static int is_metered(const struct writer *writer, uint32_t rank, size_t i) { return METERED->is_read && !writer->faults[i]; }

#define STEP (&writer->results->path->rows[i])
PUT(put_path_rank, int32_t, STEP->rank)
PUT(put_path_operation, uint32_t, STEP->operation ? CLASSES + STEP->operation - 1u : CLASS_UNKNOWN)
PUT(put_path_function, uint32_t, STEP->region ? name_string(writer, STEP->region - 1) : CLASS_UNKNOWN)
PUT(put_path_file, uint32_t, STEP->region ? name_string(writer, STEP->region - 1) + 1 : CLASS_UNKNOWN)
PUT(put_path_time, double, seconds(writer, STEP->ticks))
static const struct column path_columns[] = { { "rank", "", "<i4", put_path_rank }, { "operation", "", "text", put_path_operation },
    { "function", "", "text", put_path_function }, { "file", "", "text", put_path_file }, { "time", "s", "<f8", put_path_time }, { 0 } };
static size_t path_rows(const struct writer *writer, uint32_t rank) { return rank || writer->results->path->is_lost ? 0 : writer->results->path->room; }
static int is_step(const struct writer *writer, uint32_t rank, size_t i) { (void)rank; return STEP->ticks != 0; }

static const struct table tables[] = { { "ranks", one, NULL, rank_columns }, { "communicators", communicators, is_used, communicator_columns },
    { "calls", rows_of, NULL, call_columns }, { "members", rows_of, is_member_row, member_columns }, { "sites", rows_of, has_caller, site_columns },
    { "peers", peers_of, is_peer, peer_columns }, { "windows", window_kinds, has_windows, window_columns },
    { "waits", rows_of, is_known, wait_columns }, { "late", classes, has_late, late_columns }, { "phases", slices, has_calls, phase_columns },
    { "regions", marked_rows, NULL, marked_columns }, { "path", path_rows, is_step, path_columns },
    { "counters", metrics, is_metered, counter_columns } };

static void write_strings(struct writer *writer)
{
    const struct definitions *definitions = writer->definitions;
    struct text *header = &writer->header;
    text_add(header, "},\"strings\":[");
#define STRING(value) do { text_add(header, "%s", text_separator(header)); text_add_json(header, value); } while (0)
    for (unsigned i = 0; i < CLASSES; i++)
        STRING(class_names[i]);
    for (size_t i = 0; i < definitions->operation_count; i++)
        STRING(definitions->operations[i]);
    for (size_t i = 0; i < definitions->region_count; i++) {
        STRING(string_of(definitions, definitions->regions[i].name));
        STRING(string_of(definitions, definitions->regions[i].file));
    }
    for (size_t i = 0; i < definitions->site_count; i++) {
        STRING(definitions->sites[i].function ? string_of(definitions, definitions->sites[i].function - 1) : "");
        STRING(string_of(definitions, definitions->sites[i].file));
    }
    static const char *const kinds[] = { "create", "allocate", "shared", "dynamic" };
    for (unsigned i = 0; i < 4; i++)
        STRING(kinds[i]);
    for (size_t i = 0; i < definitions->communicator_count; i++)
        STRING(string_of(definitions, definitions->communicators[i].name));
    for (size_t i = 0; i < definitions->metric_count; i++)
        STRING(string_of(definitions, definitions->metrics[i].name));
    text_add(header, "]}");
}

/* Calls of operations that begin so; `unknown`: of which it is not known how long they waited. */
static uint64_t count_of(const struct writer *writer, const char *beginning, int unknown)
{
    uint64_t count = 0;
    for (uint32_t rank = 0; rank < writer->definitions->ranks; rank++)
        for (size_t i = 0; i < writer->ranks[rank].row_count; i++)
            if (!strncmp(writer->definitions->operations[ROW->key & 0xFFFF], beginning, strlen(beginning)))
                count += unknown ? ROW->judged - ROW->known : ROW->count;
    return count;
}

/* Exchanges of which the trace has no messages: neither their size nor a partner is known. */
static uint64_t exchanges_alone(const struct writer *writer)
{
    uint64_t count = 0;
    for (uint32_t rank = 0; rank < writer->definitions->ranks; rank++)
        for (size_t i = 0; i < writer->ranks[rank].row_count; i++)
            if (!strncmp(writer->definitions->operations[ROW->key & 0xFFFF], "Isendrecv", 9) && (ROW->key >> 24 & 0xFF) == 0 && (ROW->key >> 16 & 0xFF) == CLASS_NONE)
                count += ROW->count;
    return count;
}

/* `count` in front of the reason, if there is one. */
static void add_gap(struct writer *writer, const char *subject, uint64_t count, const char *reason, const char *collect)
{
    text_add(&writer->header, "%s{\"subject\":\"%s\",\"reason\":\"", text_separator(&writer->header), subject);
    if (count)
        text_add(&writer->header, "%llu", (unsigned long long)count);
    text_add(&writer->header, "%s\",\"collect\":\"%s\"}", reason, collect);
}

static void add_counter_gap(struct writer *writer, uint32_t metric, const char *reason)
{
    char subject[96];
    snprintf(subject, sizeof subject, "counters.%s", string_of(writer->definitions, metric));
    text_add(&writer->header, "%s{\"subject\":", text_separator(&writer->header));
    text_add_json(&writer->header, subject);
    text_add(&writer->header, ",\"reason\":\"%s\",\"collect\":\"\"}", reason);
}

static int is_counted(const struct writer *writer, const char *name)
{
    for (size_t i = 0; i < writer->definitions->metric_count; i++)
        if (!writer->faults[i] && !strcmp(name, string_of(writer->definitions, writer->definitions->metrics[i].name)))
            return 1;
    return 0;
}

static int is_left_out(const struct definitions *definitions, uint32_t metric)
{
    for (size_t i = 0; i < definitions->left_out_count; i++)
        if (!strcmp(string_of(definitions, definitions->left_out[i].name), string_of(definitions, metric)))
            return 1;
    return 0;
}

static void write_counter_gaps(struct writer *writer)
{
    static const char *const reasons[] = { [FAULT_BACKWARDS] = "the trace has values of it that no count can have", [FAULT_SELDOM] = "the trace has values of it too seldom to tell MPI from the program",
        [FAULT_ABSENT] = "the trace has no values of it from the threads that began MPI" };
    const struct definitions *definitions = writer->definitions;
    for (size_t i = 0; i < definitions->metric_count; i++)
        if (writer->faults[i] && !(writer->faults[i] == FAULT_ABSENT && is_left_out(definitions, definitions->metrics[i].name)))
            add_counter_gap(writer, definitions->metrics[i].name, reasons[writer->faults[i]]);
    for (size_t i = 0; i < definitions->left_out_count; i++)
        if (!is_counted(writer, string_of(definitions, definitions->left_out[i].name)))
            add_counter_gap(writer, definitions->left_out[i].name, definitions->left_out[i].why);
}

static void write_gaps(struct writer *writer)
{
    uint64_t flushes = 0;
    for (uint32_t rank = 0; rank < writer->definitions->ranks; rank++)
        flushes += writer->ranks[rank].flushes;
    text_add(&writer->header, "],\"gaps\":[");
    if (writer->results->path->is_lost)
        add_gap(writer, "path", 0, "there was no room for the steps of the critical path beside the profile", "set TMPDIR to a folder with more room");
    if (flushes)
        add_gap(writer, "ranks", flushes, " times the trace's buffer was full and was written while the program ran: calls around it look longer than they were",
            "a larger SCOREP_TOTAL_MEMORY");
    if (count_of(writer, "Win_flush", 0))
        add_gap(writer, "waits.locks", 0, "flushes of windows were not split into waiting and moving: when the target moved on is in no trace", "");
    if (count_of(writer, "Win_lock_all", 1))
        add_gap(writer, "waits.locks", 0, "who waited for MPI_Win_lock_all of many ranks, and whom it waited for, was not found out", "");
    if (exchanges_alone(writer))
        add_gap(writer, "waits.messages", exchanges_alone(writer), " calls of MPI_Isendrecv have no messages in the trace: others between the same ranks with the same tag may have been taken for them", "");
    if (count_of(writer, "Psend_init", 0) || count_of(writer, "Precv_init", 0))
        add_gap(writer, "waits.messages", 0, "what partitioned operations moved is in no record of a trace", "");
    write_counter_gaps(writer);
}

static void write_header(struct writer *writer, const char *creator)
{
    const struct definitions *definitions = writer->definitions;
    text_add(&writer->header, "{\"format\":\"advisor-profile\",\"version\":[1,0],\"run\":{\"ranks_expected\":%u,\"program\":", definitions->ranks);
    text_add_json(&writer->header, writer->ranks[0].program ? string_of(definitions, writer->ranks[0].program - 1) : "");
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
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        write_table(writer, &tables[i]);
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

void profile_write(const struct definitions *definitions, const struct results *results, const char *creator, const char *path)
{
    static const char zeros[64];
    struct writer writer = { .definitions = definitions, .ranks = results->ranks, .results = results, .faults = metered_faults(definitions, results->ranks) };
    writer.data = open_memstream(&writer.columns, &writer.size);
    if (!writer.data)
        refuse("there is not enough memory");
    text_start(&writer.header, NULL, 0);
    mark_used(definitions, results->ranks);
    write_header(&writer, creator);
    uint64_t length = writer.header.length;
    if (fclose(writer.data) || writer.header.failed || writer.size != writer.offset)
        refuse("there is not enough memory");
    FILE *file = fopen(path, "we");
    int good = file && fwrite("ADVISOR\n", 8, 1, file) == 1 && fwrite(&length, 8, 1, file) == 1
        && fwrite(writer.header.memory, 1, length, file) == length && fwrite(zeros, 1, (64 - (16 + length) % 64) % 64, file) < 64
        && fwrite(writer.columns, 1, writer.size, file) == writer.size;
    if (!file || fclose(file) || !good)
        refuse("%s cannot be written", path);
}
