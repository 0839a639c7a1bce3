/* The record describes itself: a reader needs no knowledge of the C structures. */
#include "record.h"
#include "text.h"
#include <stdio.h>

#define AT(member) offsetof(struct record, member)

struct column {
    const char *name, *type;
    size_t at;
    const char *more;
};

static void put_scalar(struct text *text, const char *name, const char *type, size_t at)
{
    text_add(text, "%s\"%s\":{\"offset\":%zu,\"dtype\":\"%s\"}", text_separator(text), name,
             RECORD_HEADER_SIZE + at, type);
}

static void put_text(struct text *text, const char *name, size_t at, size_t size)
{
    text_add(text, "%s\"%s\":{\"offset\":%zu,\"size\":%zu}", text_separator(text), name,
             RECORD_HEADER_SIZE + at, size);
}

static void put_scalars(struct text *text)
{
    text_add(text, ",\"scalars\":{");
#define SCALAR(name, type) put_scalar(text, #name, type, AT(rank.name))
    SCALAR(state, "<u4");
    SCALAR(rank, "<i4");
    SCALAR(ranks, "<i4");
    SCALAR(pid, "<i4");
    SCALAR(node, "<i4");
    SCALAR(blocks, "<u4");
    SCALAR(process_begin, "<f8");
    SCALAR(init_begin, "<f8");
    SCALAR(init_end, "<f8");
    SCALAR(finalize_begin, "<f8");
    SCALAR(finalize_end, "<f8");
    SCALAR(clock_offset, "<f8");
    SCALAR(clock_error, "<f8");
    SCALAR(seconds_per_tick, "<f8");
    SCALAR(origin_time, "<f8");
    SCALAR(origin_ticks, "<u8");
    SCALAR(event_cost, "<f8");
    SCALAR(finalize_cost, "<f8");
    SCALAR(memory_peak, "<u8");
    SCALAR(user_time, "<f8");
    SCALAR(system_time, "<f8");
    SCALAR(voluntary_switches, "<u8");
    SCALAR(involuntary_switches, "<u8");
    SCALAR(major_faults, "<u8");
    SCALAR(folded_communicators, "<u8");
    SCALAR(control_levels, "<u8");
    SCALAR(own_memory, "<u8");
    SCALAR(children, "<u8");
    SCALAR(thread_requested, "<u4");
    SCALAR(thread_provided, "<u4");
    SCALAR(threads_called, "<u4");
    SCALAR(threads, "<u4");
    SCALAR(omp_threads, "<u4");
    SCALAR(cores, "<u4");
    SCALAR(sessions_only, "<u4");
    SCALAR(ticks_are_tsc, "<u4");
    SCALAR(unsampled, "<u4");
    SCALAR(restricted, "<u4");
    SCALAR(run_delay_told, "<u4");
    SCALAR(no_core_inside, "<f8");
    SCALAR(no_core_outside, "<f8");
    SCALAR(asleep_inside, "<f8");
    SCALAR(asleep_outside, "<f8");
    SCALAR(no_core_helpers, "<f8");
#undef SCALAR
    text_add(text, "},\"texts\":{");
#define TEXT(name, member) put_text(text, name, AT(member), sizeof((struct record *)0)->member)
    TEXT("library", rank.library);
    TEXT("node", rank.node_name);
    TEXT("cpus", rank.cpus);
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

static void put_table(struct text *text, const char *name, size_t offset, size_t rows,
                      size_t row_size, int in_block, const char *used, const struct column *columns)
{
    text_add(text,
             "%s\"%s\":{\"offset\":%zu,\"rows\":%zu,\"row_size\":%zu,\"in_block\":%s,\"used\":%s,"
             "\"columns\":[",
             text_separator(text), name, offset, rows, row_size, in_block ? "true" : "false", used);
    for (; columns->name; columns++)
        text_add(text, "%s{\"name\":\"%s\",\"dtype\":\"%s\",\"at\":%zu%s}", text_separator(text),
                 columns->name, columns->type, columns->at, columns->more);
    text_add(text, "]}");
}

#define EVENT(member) offsetof(struct event_row, member)
#define TIMES                                                                   \
    { "count", "<u8", EVENT(count), "" }, { "bytes", "<u8", EVENT(bytes), "" }, \
        { "time", "<u8", EVENT(ticks), ",\"scale\":\"seconds_per_tick\"" },     \
        { "min", "<u8", EVENT(shortest), ",\"scale\":\"seconds_per_tick\"" },   \
        { "max", "<u8", EVENT(longest), ",\"scale\":\"seconds_per_tick\"" },    \
    {                                                                           \
        NULL, NULL, 0, NULL                                                     \
    }
#define OPERATION { "operation", "<u2", EVENT(key), ",\"text\":\"operations\"" }

static const struct column call_columns[] = { OPERATION,
                                              { "class", "<u1", EVENT(key) + 2,
                                                ",\"text\":\"classes\"" },
                                              { "bin", "<u1", EVENT(key) + 3, ",\"add\":-1" },
                                              TIMES };
static const struct column member_columns[] = {
    OPERATION, { "communicator", "<u2", EVENT(key) + 4, ",\"lookup\":\"communicators.id\"" }, TIMES
};
static const struct column site_columns[] = { OPERATION,
                                              { "module", "<u2", EVENT(module),
                                                ",\"lookup\":\"modules.path\"" },
                                              { "offset", "<u4", EVENT(offset), "" },
                                              TIMES };
#define PEER(member) offsetof(struct peer_row, member)
static const struct column peer_columns[] = { { "peer", "<i4", PEER(peer), ",\"add\":-2" },
                                              { "path", "<u2", PEER(path),
                                                ",\"text\":\"classes\"" },
                                              { "messages", "<u8", PEER(messages), "" },
                                              { "bytes", "<u8", PEER(bytes), "" },
                                              { NULL, NULL, 0, NULL } };
#define COMM(member) offsetof(struct communicator_row, member)
static const struct column communicator_columns[] = { { "id", "<u8", COMM(id), "" },
                                                      { "name", "S104", COMM(name), "" },
                                                      { "size", "<u4", COMM(size), "" },
                                                      { "nodes", "<u4", COMM(nodes), "" },
                                                      { "class", "<u1", COMM(class),
                                                        ",\"text\":\"classes\"" },
                                                      { "world", "<u1", COMM(world), "" },
                                                      { "order", "<u4", COMM(order), "" },
                                                      { "freed", "<u1", COMM(freed), "" },
                                                      { NULL, NULL, 0, NULL } };
static const struct column module_columns[] = {
    { "path", "S248", offsetof(struct module_row, path), "" }, { NULL, NULL, 0, NULL }
};
#define WINDOW(member) offsetof(struct window_row, member)
static const struct column window_columns[] = {
    { "kind", "<u4", WINDOW(kind), ",\"text\":\"kinds\"" },
    { "class", "<u4", WINDOW(class), ",\"text\":\"classes\"" },
    { "count", "<u8", WINDOW(count), "" },
    { "bytes", "<u8", WINDOW(bytes), "" },
    { NULL, NULL, 0, NULL }
};
#define THREAD(member) offsetof(struct block, member)
static const struct column thread_columns[] = { { "last", "<u8", THREAD(last),
                                                  ",\"scale\":\"seconds_per_tick\"" },
                                                { "folded", "<u8", THREAD(folded), "" },
                                                { "clock_faults", "<u8", THREAD(clock_faults), "" },
                                                { NULL, NULL, 0, NULL } };

#define SUMS(type, member, kind) offsetof(struct type, sums.member) + sizeof(uint64_t) * (kind)
#define KINDS_OF(type)                                                                             \
    { "collective", "<u8", SUMS(type, ticks, KIND_COLLECTIVE),                                     \
      ",\"scale\":\"seconds_per_tick\"" },                                                         \
        { "messages", "<u8", SUMS(type, ticks, KIND_MESSAGES),                                     \
          ",\"scale\":\"seconds_per_tick\"" },                                                     \
        { "completion", "<u8", SUMS(type, ticks, KIND_COMPLETION),                                 \
          ",\"scale\":\"seconds_per_tick\"" },                                                     \
        { "onesided", "<u8", SUMS(type, ticks, KIND_ONESIDED),                                     \
          ",\"scale\":\"seconds_per_tick\"" },                                                     \
        { "io", "<u8", SUMS(type, ticks, KIND_IO), ",\"scale\":\"seconds_per_tick\"" },            \
        { "management", "<u8", SUMS(type, ticks, KIND_OTHER), ",\"scale\":\"seconds_per_tick\"" }, \
        { "calls", "<u8", SUMS(type, calls, 0), "" }, { "bytes", "<u8", SUMS(type, bytes, 0), "" }
static const struct column phase_columns[] = {
    { "slice", "<u4", offsetof(struct slice, index), "" },
    { "width", "<f8", offsetof(struct slice, width), "" },
    KINDS_OF(slice),
    { "no_core_outside", "<u8", offsetof(struct slice, delayed),
      ",\"scale\":\"seconds_per_tick\"" },
    { "no_core_inside", "<u8", offsetof(struct slice, delayed[1]),
      ",\"scale\":\"seconds_per_tick\"" },
    { NULL, NULL, 0, NULL }
};
static const struct column region_columns[] = {
    { "level", "<i4", offsetof(struct region, level), "" },
    { "entries", "<u8", offsetof(struct region, entries), "" },
    { "time", "<u8", offsetof(struct region, ticks), ",\"scale\":\"seconds_per_tick\"" },
    KINDS_OF(region),
    { NULL, NULL, 0, NULL }
};

static void put_phases(struct text *text)
{
    char used[64];
    snprintf(used, sizeof used, "{\"at\":%zu,\"dtype\":\"<u4\",\"not\":0}",
             offsetof(struct slice, used));
    put_table(text, "phases", offsetof(struct block, phases.slices), SLICE_ROWS,
              sizeof(struct slice), 1, used, phase_columns);
    snprintf(used, sizeof used, "{\"at\":%zu,\"dtype\":\"<u4\",\"not\":0}",
             offsetof(struct region, used));
    put_table(text, "regions", offsetof(struct block, phases.regions), REGION_ROWS,
              sizeof(struct region), 1, used, region_columns);
}

#define PART(name, member) { #name, "<f8", offsetof(struct counter_row, member), "" }
#define PARTS(name)                                                                               \
    PART(name, name.count), PART(name##_time, name.time), PART(name##_squares, name.count_count), \
        PART(name##_products, name.count_time), PART(name##_time_squares, name.time_time)
static const struct column counter_columns[] = {
    { "counter", "S48", offsetof(struct counter_row, name), "" },
    { "total", "<u8", offsetof(struct counter_row, total), "" },
    PARTS(inside),
    PARTS(outside),
    { NULL, NULL, 0, NULL }
};

#define FRAME(member) offsetof(struct stack_row, member)
static const struct column stack_columns[] = {
    { "stack", "<u8", FRAME(stack), "" },
    { "level", "<u4", FRAME(level), "" },
    { "operation", "<u2", FRAME(operation), ",\"text\":\"operations\"" },
    { "module", "<u2", FRAME(module), ",\"lookup\":\"modules.path\"" },
    { "offset", "<u4", FRAME(offset), "" },
    { "function", "<u2", FRAME(function), ",\"lookup\":\"modules.path\"" },
    { "count", "<f8", FRAME(count), "" },
    { "time", "<f8", FRAME(time), "" },
    { "count_count", "<f4", FRAME(count_count), "" },
    { "time_time", "<f4", FRAME(time_time), "" },
    { NULL, NULL, 0, NULL }
};

static void put_stacks(struct text *text)
{
    char used[64];
    snprintf(used, sizeof used, "{\"at\":%zu,\"dtype\":\"<u2\",\"not\":0}", FRAME(used));
    put_table(text, "stacks", RECORD_HEADER_SIZE + AT(stacks), STACK_ROWS, sizeof(struct stack_row),
              0, used, stack_columns);
}

static void put_counters(struct text *text)
{
    char used[64];
    snprintf(used, sizeof used, "{\"at\":%zu,\"dtype\":\"<u8\",\"not\":0}",
             offsetof(struct counter_row, used));
    put_table(text, "counters", RECORD_HEADER_SIZE + AT(counters), COUNTER_ROWS,
              sizeof(struct counter_row), 0, used, counter_columns);
}

#define VARIABLE(member) offsetof(struct variable_row, member)
static const struct column variable_columns[] = { { "variable", "S64", VARIABLE(name), "" },
                                                  { "kind", "S16", VARIABLE(kind), "" },
                                                  { "reads", "<u8", VARIABLE(reads), "" },
                                                  { "sum", "<f8", VARIABLE(sum), "" },
                                                  { "most", "<f8", VARIABLE(most), "" },
                                                  { "last", "<f8", VARIABLE(last), "" },
                                                  { NULL, NULL, 0, NULL } };

static void put_variables(struct text *text)
{
    char used[64];
    snprintf(used, sizeof used, "{\"at\":%zu,\"dtype\":\"<u8\",\"not\":0}", VARIABLE(reads));
    put_table(text, "variables", RECORD_HEADER_SIZE + AT(variables), VARIABLE_ROWS,
              sizeof(struct variable_row), 0, used, variable_columns);
}

static void put_tables(struct text *text)
{
    const size_t events = offsetof(struct block, events), peers = offsetof(struct block, peers);
    const char *counted = "{\"at\":16,\"dtype\":\"<u8\",\"not\":0}";
    text_add(text, ",\"tables\":{");
    put_table(text, "calls", events, EVENT_ROWS, sizeof(struct event_row), 1, counted,
              call_columns);
    put_table(text, "members", events, EVENT_ROWS, sizeof(struct event_row), 1,
              "{\"at\":12,\"dtype\":\"<u2\",\"not\":0}", member_columns);
    put_table(text, "sites", events, EVENT_ROWS, sizeof(struct event_row), 1, counted,
              site_columns);
    put_table(text, "peers", peers, PEER_ROWS + 1, sizeof(struct peer_row), 1,
              "{\"at\":0,\"dtype\":\"<u8\",\"not\":0}", peer_columns);
    put_table(text, "threads", 0, 1, block_stride(), 1, "null", thread_columns);
    put_table(text, "communicators", RECORD_HEADER_SIZE + AT(communicators), COMMUNICATOR_ROWS,
              sizeof(struct communicator_row), 0, "{\"at\":23,\"dtype\":\"<u1\",\"not\":0}",
              communicator_columns);
    put_table(text, "modules", RECORD_HEADER_SIZE + AT(modules), MODULE_ROWS,
              sizeof(struct module_row), 0, "{\"at\":0,\"dtype\":\"<u4\",\"not\":0}",
              module_columns);
    put_table(text, "windows", RECORD_HEADER_SIZE + AT(windows), WINDOW_ROWS,
              sizeof(struct window_row), 0, "{\"at\":0,\"dtype\":\"<u8\",\"not\":0}",
              window_columns);
    put_phases(text);
    put_counters(text);
    put_stacks(text);
    put_variables(text);
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
