/* Filling a pile from the record of this rank. */
#define _GNU_SOURCE
#include "pile.h"
#include "events.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *heap_add(struct pile *pile, struct heap *heap, size_t size, const void *row)
{
    void *place = heap_grow(heap, size, 1);
    if (!place) {
        pile->failed = 1;
        return NULL;
    }
    return memcpy(place, row, size);
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
    else if (heap_add(pile, &pile->texts, sizeof text, &text))
        *place = (uint32_t)pile->texts.count;
}

uint64_t pile_add_text(struct pile *pile, const char *value)
{
    uint64_t hash = hash_of(value);
    pile_add_hashed(pile, hash, value);
    return hash;
}

static void add_counted(struct pile *pile, int table, int rank, uint64_t first, uint64_t second,
                        uint64_t third, const struct event_row *row, double tick)
{
    struct pile_row counted = { table,
                                rank,
                                first,
                                second,
                                third,
                                row->count,
                                row->bytes,
                                (double)row->ticks * tick,
                                (double)row->shortest * tick,
                                (double)row->longest * tick };
    heap_add(pile, &pile->rows, sizeof counted, &counted);
}

/* One row of a thread's table is a call of a kind, by a member of a communicator, from a site:
 * three tables at once. */
static void add_event(struct pile *pile, const struct record *record, const struct event_row *row,
                      uint64_t *modules)
{
    const int rank = record->rank.rank;
    const double tick = record->rank.seconds_per_tick;
    const unsigned communicator = (unsigned)(row->key >> 32) & 0xFFFF;
    const uint64_t operation = row->key & 0xFFFF;
    if (!row->count)
        return;
    add_counted(pile, PILE_CALLS, rank, row->key & 0xFFFFFFFFu, 0, 0, row, tick);
    if (communicator)
        add_counted(pile, PILE_MEMBERS, rank, operation, record->communicators[communicator].id, 0,
                    row, tick);
    add_counted(pile, PILE_SITES, rank, operation, modules[row->module], row->offset, row, tick);
}

static void add_peer(struct pile *pile, int rank, const struct peer_row *row)
{
    struct pile_row counted = { PILE_PEERS, rank, (uint32_t)(row->peer - peer_name(0)),
                                row->path,  0,    row->messages,
                                row->bytes, 0,    0,
                                0 };
    if (row->messages)
        heap_add(pile, &pile->rows, sizeof counted, &counted);
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
        struct pile_communicator communicator = { row->id,    0, row->size,  row->nodes,
                                                  row->order, 0, row->class, row->world,
                                                  row->freed, 0 };
        communicator.name = pile_add_text(pile, row->name);
        communicator.first = row->used == 2;
        heap_add(pile, &pile->communicators, sizeof communicator, &communicator);
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
        struct pile_setting setting = { pile_add_text(pile, line), pile_add_text(pile, value),
                                        pile_add_text(pile, source),
                                        strcmp(source, "mpi_t") ? 1 : ranks };
        heap_add(pile, &pile->settings, sizeof setting, &setting);
    }
    free(copy);
}

static void add_rank(struct pile *pile, const struct record *record, uint64_t events,
                     uint64_t folded, uint64_t clock_faults)
{
    const struct rank_record *from = &record->rank;
    struct pile_rank rank = { .values = { .rank = from->rank,
                                          .node = from->node,
                                          .pid = from->pid,
                                          .state = from->state,
                                          .process_begin = from->process_begin,
                                          .init_begin = from->init_begin,
                                          .init_end = from->init_end,
                                          .finalize_begin = from->finalize_begin,
                                          .finalize_end = from->finalize_end,
                                          .clock_offset = from->clock_offset,
                                          .clock_error = from->clock_error,
                                          .thread_requested = from->thread_requested,
                                          .thread_provided = from->thread_provided,
                                          .threads_called = from->threads_called,
                                          .threads = from->threads,
                                          .omp_threads = from->omp_threads,
                                          .cores = from->cores,
                                          .memory_peak = from->memory_peak,
                                          .user_time = from->user_time,
                                          .system_time = from->system_time,
                                          .voluntary_switches = from->voluntary_switches,
                                          .involuntary_switches = from->involuntary_switches,
                                          .major_faults = from->major_faults,
                                          .events = events,
                                          .event_cost = from->event_cost,
                                          .finalize_cost = from->finalize_cost,
                                          .folded = folded,
                                          .clock_faults = clock_faults,
                                          .control_levels = from->control_levels,
                                          .own_memory = from->own_memory,
                                          .children = from->children,
                                          .no_core_inside = from->no_core_inside,
                                          .no_core_outside = from->no_core_outside,
                                          .asleep_inside = from->asleep_inside,
                                          .asleep_outside = from->asleep_outside,
                                          .no_core_helpers = from->no_core_helpers,
                                          .run_delay_told = from->run_delay_told } };
    rank.cpus = pile_add_text(pile, from->cpus);
    heap_add(pile, &pile->ranks, sizeof rank, &rank);
}

/* Whose row has no communicator of its own, but its call site: what has neither was counted as
 * folded when it was called. */
static int is_of_folded_communicator(const struct event_row *row)
{
    return row->site && (row->key >> 32 & 0xFFFF) == 1;
}

void pile_add_record(struct pile *pile, const struct record *record)
{
    uint64_t modules[MODULE_ROWS], events = 0, folded = 0, faults = 0;
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
            folded += is_of_folded_communicator(row) ? row->count : 0;
        }
        folded += block->folded;
        faults += block->clock_faults;
    }
    for (int i = 0; i < WINDOW_ROWS; i++) {
        const struct window_row *row = &record->windows[i];
        struct pile_row counted = { PILE_WINDOWS, record->rank.rank, row->kind, row->class, 0,
                                    row->count,   row->bytes,        0,         0,          0 };
        if (row->count)
            heap_add(pile, &pile->rows, sizeof counted, &counted);
    }
    pile_add_phases(pile, record);
    pile_add_counters(pile, record);
    pile_add_stacks(pile, record);
    pile_add_variables(pile, record);
    add_communicators(pile, record);
    add_settings(pile, record->settings, (uint64_t)record->rank.ranks);
    add_rank(pile, record, events, folded, faults);
    pile->folded_communicators += record->rank.folded_communicators;
    pile->unsampled |= record->rank.unsampled;
    if (*record->facts) {
        struct pile_node node = { pile_add_text(pile, record->rank.node_name),
                                  pile_add_text(pile, record->facts), record->rank.node };
        heap_add(pile, &pile->nodes, sizeof node, &node);
    }
}
