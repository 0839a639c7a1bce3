/* Filling a pile from the record of this rank. */
#define _GNU_SOURCE
#include "pile.h"
#include "events.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *add_row(struct pile *pile, struct row_buffer *buffer, size_t size, const void *row)
{
    void *place = row_buffer_grow(buffer, size, 1);
    if (!place) {
        pile->failed = 1;
        return NULL;
    }
    return memcpy(place, row, size);
}

void *pile_add(struct pile *pile, enum table_number table, const void *row)
{
    return add_row(pile, &pile->tables[table], tables[table].rows.size, row);
}

static uint64_t hash_of(const char *value)
{
    uint64_t hash = TEXT_EMPTY;
    for (; *value; value++)
        hash = (hash ^ (unsigned char)*value) * 0x100000001b3ull;
    return hash;
}

/* The place of a text in the index: its own, or the free one where it belongs. */
static uint32_t *text_place(const struct pile *pile, uint64_t hash)
{
    const struct pile_text *texts = pile->texts.rows;
    size_t slot = (hash ^ hash >> 32) & (pile->text_room - 1);
    while (pile->text_index[slot] && texts[pile->text_index[slot] - 1].hash != hash)
        slot = (slot + 1) & (pile->text_room - 1);
    return &pile->text_index[slot];
}

static int grow_text_index(struct pile *pile)
{
    size_t room = pile->text_room ? 4 * pile->text_room : 256;
    uint32_t *index = calloc(room, sizeof *index);
    if (!index)
        return 0;
    free(pile->text_index);
    pile->text_index = index;
    pile->text_room = room;
    for (size_t i = 0; i < pile->texts.count; i++)
        *text_place(pile, ((struct pile_text *)pile->texts.rows)[i].hash) = (uint32_t)i + 1;
    return 1;
}

const char *pile_text(const struct pile *pile, uint64_t hash)
{
    uint32_t number = pile->text_room ? *text_place(pile, hash) : 0;
    return number ? ((struct pile_text *)pile->texts.rows)[number - 1].value : "";
}

void pile_add_hashed(struct pile *pile, uint64_t hash, const char *value)
{
    struct pile_text text = { hash, NULL };
    if (2 * pile->texts.count >= pile->text_room && !grow_text_index(pile))
        pile->failed = 1;
    uint32_t *place =
        pile->text_room && 2 * pile->texts.count < pile->text_room ? text_place(pile, hash) : NULL;
    if (!place || *place)
        return;
    text.value = strdup(value);
    if (!text.value)
        pile->failed = 1;
    else if (add_row(pile, &pile->texts, sizeof text, &text))
        *place = (uint32_t)pile->texts.count;
}

uint64_t pile_add_text(struct pile *pile, const char *value)
{
    uint64_t hash = hash_of(value);
    pile_add_hashed(pile, hash, value);
    return hash;
}

/* One row of a thread's table is a call of a kind, by a member of a communicator, from a site:
 * three tables at once. */
static void add_event(struct pile *pile, const struct record *record, const struct event_row *row,
                      uint64_t *modules)
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
    pile_add(pile, TABLE_CALLS,
             &(struct profile_calls){ COUNTED, .class = (uint8_t)key_class(row->key),
                                      .bin = key_bin(row->key) });
    if (key_communicator(row->key))
        pile_add(
            pile, TABLE_MEMBERS,
            &(struct profile_members){
                COUNTED, .communicator = record->communicators[key_communicator(row->key)].id });
    pile_add(
        pile, TABLE_SITES,
        &(struct profile_sites){ COUNTED, .module = modules[row->module], .offset = row->offset });
#undef COUNTED
}

static void add_peer(struct pile *pile, int rank, const struct peer_row *row)
{
    if (row->messages)
        pile_add(pile, TABLE_PEERS,
                 &(struct profile_peers){ .rank = rank,
                                          .peer = row->peer - peer_name(0),
                                          .path = (uint8_t)row->path,
                                          .messages = row->messages,
                                          .bytes = row->bytes });
}

static void add_block(struct pile *pile, const struct record *record, const struct block *block,
                      uint64_t *modules)
{
    for (uint64_t i = 0; i <= block->used_events; i++)
        add_event(pile, record, event_begun(block, i), modules);
    for (int i = 0; i <= PEER_ROWS; i++)
        add_peer(pile, record->rank.rank, &block->peers[i]);
}

static void add_communicators(struct pile *pile, const struct record *record)
{
    for (int i = 2; i < COMMUNICATOR_ROWS && record->communicators[i].used; i++) {
        const struct communicator_row *row = &record->communicators[i];
        pile_add(pile, TABLE_COMMUNICATORS,
                 &(struct profile_communicators){ .id = row->id,
                                                  .name = pile_add_text(pile, row->name),
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
static void add_settings(struct pile *pile, const char *settings, uint64_t ranks)
{
    char *copy = strdup(settings), *rest = NULL;
    for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, '\t'), *source = value ? strchr(value + 1, '\t') : NULL;
        if (!source)
            continue;
        *value++ = 0;
        *source++ = 0;
        pile_add(pile, TABLE_SETTINGS,
                 &(struct profile_settings){ .name = pile_add_text(pile, line),
                                             .source = pile_add_text(pile, source),
                                             .value = pile_add_text(pile, value),
                                             .ranks = strcmp(source, "mpi_t") ? 1 : ranks });
    }
    free(copy);
}

static void add_windows(struct pile *pile, const struct record *record)
{
    for (int i = 0; i < WINDOW_ROWS; i++) {
        const struct window_row *row = &record->windows[i];
        if (row->count)
            pile_add(pile, TABLE_WINDOWS,
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
static void add_counters(struct pile *pile, const struct record *record)
{
    for (int i = 0; i < COUNTER_ROWS; i++) {
        const struct counter_row *row = &record->counters[i];
        if (row->used)
            pile_add(pile, TABLE_COUNTERS,
                     &(struct profile_counters){ .rank = record->rank.rank,
                                                 .counter = pile_add_text(pile, row->name),
                                                 .total = row->total,
                                                 SIDE(inside),
                                                 SIDE(outside) });
    }
}

/* What the library says of itself. */
static void add_variables(struct pile *pile, const struct record *record)
{
    for (int i = 0; i < VARIABLE_ROWS; i++) {
        const struct variable_row *row = &record->variables[i];
        if (row->reads)
            pile_add(pile, TABLE_VARIABLES,
                     &(struct profile_variables){ .rank = record->rank.rank,
                                                  .variable = pile_add_text(pile, row->name),
                                                  .kind = pile_add_text(pile, row->kind),
                                                  .ranks = 1,
                                                  .reads = row->reads,
                                                  .sum = row->sum,
                                                  .most = row->most,
                                                  .last = row->last });
    }
}

/* Of no rank: there are as many stacks on each, and they are added up over ranks at once. */
static void add_stacks(struct pile *pile, const struct record *record)
{
    for (int i = 0; i < STACK_ROWS && (!i || record->stacks[i].used); i++) {
        const struct stack_row *row = &record->stacks[i];
        if (row->used)
            pile_add(pile, TABLE_STACKS,
                     &(struct profile_stacks){
                         .stack = row->stack,
                         .level = row->level,
                         .operation = row->operation,
                         .module = pile_add_text(pile, record->modules[row->module].path),
                         .offset = row->offset,
                         .function = pile_add_text(pile, record->modules[row->function].path),
                         .count = row->count,
                         .time = row->time,
                         .count_count = row->count_count,
                         .time_time = row->time_time });
    }
}

static void add_rank(struct pile *pile, const struct record *record, uint64_t events,
                     uint64_t overflowed, uint64_t clock_faults)
{
    struct profile_ranks rank = record->rank.columns;
    rank.cpus = pile_add_text(pile, record->rank.cpu_list);
    rank.events = events;
    rank.overflowed = overflowed;
    rank.clock_faults = clock_faults;
    pile_add(pile, TABLE_RANKS, &rank);
}

/* Whose row has no communicator of its own, but its call site: what has neither was counted as
 * overflowed when it was called. */
static int is_of_overflowed_communicator(const struct event_row *row)
{
    return row->site && key_communicator(row->key) == 1;
}

void pile_add_record(struct pile *pile, const struct record *record)
{
    uint64_t modules[MODULE_ROWS], events = 0, overflowed = 0, faults = 0;
    for (int i = 0; i < MODULE_ROWS; i++)
        modules[i] = TEXT_EMPTY;
    pile_add_text(pile, "");
    for (int i = 1; i < MODULE_ROWS && record->modules[i].used; i++)
        modules[i] = pile_add_text(pile, record->modules[i].path);
    for (uint32_t k = 0; k < record->rank.blocks; k++) {
        const struct block *block = record->block[k];
        add_block(pile, record, block, modules);
        for (uint64_t i = 0; i <= block->used_events; i++) {
            const struct event_row *row = event_begun(block, i);
            events += row->count;
            overflowed += is_of_overflowed_communicator(row) ? row->count : 0;
        }
        overflowed += block->overflowed;
        faults += block->clock_faults;
    }
    add_windows(pile, record);
    pile_add_phases(pile, record);
    add_counters(pile, record);
    add_stacks(pile, record);
    add_variables(pile, record);
    add_communicators(pile, record);
    add_settings(pile, record->settings, (uint64_t)record->rank.ranks);
    add_rank(pile, record, events, overflowed, faults);
    pile->overflowed_communicators += record->rank.overflowed_communicators;
    pile->unsampled |= record->rank.unsampled;
    if (*record->facts)
        pile_add(pile, TABLE_NODES,
                 &(struct profile_nodes){ .index = record->rank.node,
                                          .name = pile_add_text(pile, record->rank.node_name),
                                          .facts = pile_add_text(pile, record->facts) });
}
