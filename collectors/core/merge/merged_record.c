/* Rows from the record of this rank. */
#define _GNU_SOURCE
#include "merged.h"
#include <stdlib.h>
#include <string.h>

/* One row of a thread's table is a call of a kind, by a member of a communicator, from a site:
 * three tables at once, and a fourth one if the library could not take its fast paths. */
static void add_event(struct merged *merged, const struct record *record,
                      const struct event_row *row, uint64_t *modules)
{
    const int rank = record->rank.rank;
    const double tick = record->rank.seconds_per_tick;
    const uint16_t operation = (uint16_t)key_operation(row->key);
    if (!row->count)
        return;
#define COUNTED                                                                     \
    .rank = rank, .operation = operation, .count = row->count, .bytes = row->bytes, \
    .time = (double)row->ticks * tick, .min = (double)row->shortest * tick,         \
    .max = (double)row->longest * tick
    merged_add(merged, TABLE_CALLS,
               &(struct profile_calls){ COUNTED, .class = (uint8_t)key_class(row->key),
                                        .bin = key_bin(row->key) });
    if (key_communicator(row->key))
        merged_add(
            merged, TABLE_MEMBERS,
            &(struct profile_members){
                COUNTED, .communicator = record->communicators[key_communicator(row->key)].id });
    merged_add(
        merged, TABLE_SITES,
        &(struct profile_sites){ COUNTED, .module = modules[row->module], .offset = row->offset });
#undef COUNTED
    if (key_handling(row->key))
        merged_add(merged, TABLE_HANDLING,
                   &(struct profile_handling){ .rank = rank,
                                               .operation = operation,
                                               .handling = (uint8_t)key_handling(row->key),
                                               .module = modules[row->module],
                                               .offset = row->offset,
                                               .count = row->count,
                                               .bytes = row->bytes,
                                               .time = (double)row->ticks * tick });
}

static void add_peer(struct merged *merged, int rank, const struct peer_row *row)
{
    if (row->messages)
        merged_add(merged, TABLE_PEERS,
                   &(struct profile_peers){ .rank = rank,
                                            .peer = row->peer - peer_name(0),
                                            .path = (uint8_t)row->path,
                                            .messages = row->messages,
                                            .bytes = row->bytes });
}

static void add_block(struct merged *merged, const struct record *record, const struct block *block,
                      uint64_t *modules)
{
    for (uint64_t i = 0; i <= block->used_events; i++)
        add_event(merged, record, event_begun(block, i), modules);
    for (int i = 0; i <= PEER_ROWS; i++)
        add_peer(merged, record->rank.rank, &block->peers[i]);
}

static void add_communicators(struct merged *merged, const struct record *record)
{
    for (int i = 2; i < COMMUNICATOR_ROWS && record->communicators[i].used; i++) {
        const struct communicator_row *row = &record->communicators[i];
        merged_add(merged, TABLE_COMMUNICATORS,
                   &(struct profile_communicators){ .id = row->id,
                                                    .name = merged_add_text(merged, row->name),
                                                    .size = row->size,
                                                    .nodes = row->nodes,
                                                    .class = row->class,
                                                    .world = row->world,
                                                    .order = row->order,
                                                    .freed = row->freed,
                                                    .first = row->used == 2 });
    }
}

/* Control variables are read by one rank and hold for all, as far as anybody can tell. */
static void add_settings(struct merged *merged, const char *settings, uint64_t ranks)
{
    char *copy = strdup(settings), *rest = NULL;
    for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, '\t'), *source = value ? strchr(value + 1, '\t') : NULL;
        if (!source)
            continue;
        *value++ = 0;
        *source++ = 0;
        merged_add(merged, TABLE_SETTINGS,
                   &(struct profile_settings){ .name = merged_add_text(merged, line),
                                               .source = merged_add_text(merged, source),
                                               .value = merged_add_text(merged, value),
                                               .ranks = strcmp(source, "mpi_t") ? 1 : ranks });
    }
    free(copy);
}

static void add_windows(struct merged *merged, const struct record *record)
{
    for (int i = 0; i < WINDOW_ROWS; i++) {
        const struct window_row *row = &record->windows[i];
        if (row->count)
            merged_add(merged, TABLE_WINDOWS,
                       &(struct profile_windows){ .rank = record->rank.rank,
                                                  .kind = (uint8_t)row->kind,
                                                  .class = (uint8_t)row->class,
                                                  .count = row->count,
                                                  .bytes = row->bytes });
    }
}

#define SIDE(name)                                                                    \
    .name = row->name.count, .name##_time = row->name.time,                           \
    .name##_squares = row->name.count_count, .name##_products = row->name.count_time, \
    .name##_time_squares = row->name.time_time
static void add_counters(struct merged *merged, const struct record *record)
{
    for (int i = 0; i < COUNTER_ROWS; i++) {
        const struct counter_row *row = &record->counters[i];
        if (row->used)
            merged_add(merged, TABLE_COUNTERS,
                       &(struct profile_counters){ .rank = record->rank.rank,
                                                   .counter = merged_add_text(merged, row->name),
                                                   .total = row->total,
                                                   SIDE(inside),
                                                   SIDE(outside) });
    }
}

/* What the library says of itself. */
static void add_variables(struct merged *merged, const struct record *record)
{
    for (int i = 0; i < VARIABLE_ROWS; i++) {
        const struct variable_row *row = &record->variables[i];
        if (row->reads)
            merged_add(merged, TABLE_VARIABLES,
                       &(struct profile_variables){ .rank = record->rank.rank,
                                                    .variable = merged_add_text(merged, row->name),
                                                    .kind = merged_add_text(merged, row->kind),
                                                    .ranks = 1,
                                                    .reads = row->reads,
                                                    .sum = row->sum,
                                                    .most = row->most,
                                                    .last = row->last });
    }
}

/* Of no rank: there are as many stacks on each, and they are added up over ranks at once. */
static void add_stacks(struct merged *merged, const struct record *record)
{
    for (int i = 0; i < STACK_ROWS && (!i || record->stacks[i].used); i++) {
        const struct stack_row *row = &record->stacks[i];
        if (row->used)
            merged_add(merged, TABLE_STACKS,
                       &(struct profile_stacks){
                           .stack = row->stack,
                           .level = row->level,
                           .operation = row->operation,
                           .module = merged_add_text(merged, record->modules[row->module].path),
                           .offset = row->offset,
                           .function = merged_add_text(merged, record->modules[row->function].path),
                           .count = row->count,
                           .time = row->time,
                           .count_count = row->count_count,
                           .time_time = row->time_time });
    }
}

static void add_rank(struct merged *merged, const struct record *record, uint64_t events,
                     uint64_t overflowed, uint64_t clock_faults, uint64_t between_polls)
{
    struct profile_ranks rank = record->rank.columns;
    rank.cpus = merged_add_text(merged, record->rank.cpu_list);
    rank.thread_cpus = merged_add_text(merged, record->rank.thread_cpu_list);
    rank.events = events;
    rank.overflowed = overflowed;
    rank.clock_faults = clock_faults;
    rank.between_polls = (double)between_polls * record->rank.seconds_per_tick;
    merged_add(merged, TABLE_RANKS, &rank);
}

/* Whose row has no communicator of its own, but its call site: what has neither was counted as
 * overflowed when it was called. */
static int is_of_overflowed_communicator(const struct event_row *row)
{
    return row->site && key_communicator(row->key) == 1;
}

void merged_add_record(struct merged *merged, const struct record *record)
{
    uint64_t modules[MODULE_ROWS], events = 0, overflowed = 0, faults = 0, between_polls = 0;
    for (int i = 0; i < MODULE_ROWS; i++)
        modules[i] = TEXT_EMPTY;
    merged_add_text(merged, "");
    for (int i = 1; i < MODULE_ROWS && record->modules[i].used; i++)
        modules[i] = merged_add_text(merged, record->modules[i].path);
    for (uint32_t k = 0; k < record->rank.blocks; k++) {
        const struct block *block = record->block[k];
        add_block(merged, record, block, modules);
        for (uint64_t i = 0; i <= block->used_events; i++) {
            const struct event_row *row = event_begun(block, i);
            events += row->count;
            overflowed += is_of_overflowed_communicator(row) ? row->count : 0;
        }
        overflowed += block->overflowed;
        faults += block->clock_faults;
        between_polls += block->between_polls;
    }
    add_windows(merged, record);
    merged_add_phases(merged, record);
    add_counters(merged, record);
    add_stacks(merged, record);
    add_variables(merged, record);
    add_communicators(merged, record);
    add_settings(merged, record->settings, (uint64_t)record->rank.ranks);
    add_rank(merged, record, events, overflowed, faults, between_polls);
    merged->overflowed_communicators += record->rank.overflowed_communicators;
    merged->unsampled |= record->rank.unsampled;
    if (*record->facts)
        merged_add(merged, TABLE_NODES,
                   &(struct profile_nodes){ .index = record->rank.node,
                                            .name = merged_add_text(merged, record->rank.node_name),
                                            .facts = merged_add_text(merged, record->facts) });
}
