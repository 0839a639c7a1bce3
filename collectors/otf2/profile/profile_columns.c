/* Tables of the profile that count what ranks did: calls, peers, waits; and ranks and communicators
 * themselves. */
#include "profile.h"

/* Seconds since the epoch if the archive says when that was, else since its begin. */
static double moment(const struct writer *writer, uint64_t ticks)
{
    const struct definitions *definitions = writer->definitions;
    const double begin = definitions->real_time == OTF2_UNDEFINED_TIMESTAMP
                             ? 0
                             : (double)definitions->real_time / 1e9;
    return begin + (double)(int64_t)(ticks - definitions->offset) / (double)definitions->resolution;
}

static int16_t bin_of(const struct row *row)
{
    return (int16_t)((int)key_size_bin(row->key) - 2);
}

#define COUNTED                                                                                 \
    .rank = (int32_t)rank, .operation = (uint16_t)key_operation(row->key), .count = row->count, \
    .bytes = row->bytes, .time = seconds(writer, row->time),                                    \
    .min = seconds(writer, row->shortest), .max = seconds(writer, row->longest)

static size_t rows_of(const struct writer *writer, uint32_t rank)
{
    return writer->ranks[rank].row_count;
}

static int fill_calls(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    const struct row *row = ROW;
    *(struct profile_calls *)to =
        (struct profile_calls){ COUNTED, .class = (uint8_t)key_class(row->key),
                                .bin = bin_of(row) };
    return 1;
}

static int fill_members(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    const struct row *row = ROW;
    *(struct profile_members *)to =
        (struct profile_members){ COUNTED, .communicator = key_communicator(row->key) };
    return key_communicator(row->key) != 0;
}

/* Behind the regions, callers are sites. */
static uint32_t line_of(const struct definitions *definitions, uint64_t caller)
{
    return caller < definitions->region_count
               ? 0
               : definitions->sites[caller - definitions->region_count].line;
}

static int fill_sites(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    const struct row *row = ROW;
    if (!row->caller)
        return 0;
    *(struct profile_sites *)to =
        (struct profile_sites){ COUNTED, .offset = row->caller,
                                .function = caller_string(writer, row->caller - 1),
                                .file = caller_string(writer, row->caller - 1) + 1,
                                .line = line_of(writer->definitions, row->caller - 1) };
    return 1;
}

static int fill_waits(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    const struct row *row = ROW;
    *(struct profile_waits *)to =
        (struct profile_waits){ .rank = (int32_t)rank,
                                .communicator = key_communicator(row->key),
                                .operation = (uint16_t)key_operation(row->key),
                                .class = (uint8_t)key_class(row->key),
                                .bin = bin_of(row),
                                .calls = row->judged,
                                .sampled = row->known,
                                .time = seconds(writer, row->judged_time),
                                .duration = seconds(writer, row->duration),
                                .wait = seconds(writer, row->wait),
                                .wrong_order = seconds(writer, row->wrong_order) };
    return row->known != 0;
}

static size_t peers_of(const struct writer *writer, uint32_t rank)
{
    return writer->ranks[rank].peer_room;
}

static int fill_peers(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    const struct peer *peer = &writer->ranks[rank].peers[i];
    *(struct profile_peers *)to = (struct profile_peers){ .rank = (int32_t)rank,
                                                          .peer = (int32_t)peer->rank,
                                                          .path = (uint8_t)peer->path,
                                                          .messages = peer->messages,
                                                          .bytes = peer->bytes };
    return peer->messages != 0;
}

static size_t classes(const struct writer *writer, uint32_t rank)
{
    (void)writer, (void)rank;
    return CLASSES;
}

static int fill_late(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    const struct late *late = &RANK->late[i];
    *(struct profile_delays *)to =
        (struct profile_delays){ .rank = (int32_t)rank,
                                 .class = (uint8_t)i,
                                 .instances = (double)late->instances,
                                 .last = (double)late->last,
                                 .delay_cost = seconds(writer, late->delay_cost) };
    return late->instances || late->delay_cost;
}

static size_t window_kinds(const struct writer *writer, uint32_t rank)
{
    (void)writer, (void)rank;
    return 4 * CLASSES;
}

static int fill_windows(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    *(struct profile_windows *)to = (struct profile_windows){ .rank = (int32_t)rank,
                                                              .kind = (uint8_t)(i / CLASSES),
                                                              .class = (uint8_t)(i % CLASSES),
                                                              .count = RANK->windows[i] };
    return RANK->windows[i] != 0;
}

static size_t one(const struct writer *writer, uint32_t rank)
{
    (void)writer, (void)rank;
    return 1;
}

static int fill_ranks(const struct writer *writer, uint32_t number, size_t i, void *to)
{
    const struct rank *rank = &writer->ranks[number];
    (void)i;
    *(struct profile_ranks *)to = (struct profile_ranks){
        .rank = (int32_t)number,
        .node = writer->definitions->host_of[number],
        .state = rank->state        ? rank->state
                 : rank->init_begin ? 1
                                    : 2,
        .process_begin = moment(writer, rank->first),
        .init_begin = moment(writer, rank->init_begin ? rank->init_begin : rank->first),
        .init_end = moment(writer, rank->init_end ? rank->init_end : rank->first),
        .finalize_begin = moment(writer, rank->finalize_begin ? rank->finalize_begin : rank->last),
        .finalize_end = moment(writer, rank->finalize_end ? rank->finalize_end : rank->last),
        .threads_called = rank->threads,
        .events = rank->events,
        .overflowed = rank->overflowed,
        .clock_faults = rank->faults,
        .between_polls = seconds(writer, rank->between_polls),
        .unmatched = rank->unmatched
    };
    return 1;
}

static size_t communicators(const struct writer *writer, uint32_t rank)
{
    return rank ? 0 : writer->definitions->communicator_count;
}

static int fill_communicators(const struct writer *writer, uint32_t rank, size_t i, void *to)
{
    const struct communicator *from = &writer->definitions->communicators[i];
    (void)rank;
    *(struct profile_communicators *)to =
        (struct profile_communicators){ .id = i + 1,
                                        .name = communicator_string(writer, i),
                                        .size = from->size + from->size_far,
                                        .nodes = from->nodes,
                                        .class = from->class,
                                        .world = from->is_world,
                                        .order = (uint32_t)i };
    return from->used;
}

const struct filled rank_tables[] = { { TABLE_RANKS, one, fill_ranks },
                                      { TABLE_COMMUNICATORS, communicators, fill_communicators },
                                      { TABLE_CALLS, rows_of, fill_calls },
                                      { TABLE_MEMBERS, rows_of, fill_members },
                                      { TABLE_SITES, rows_of, fill_sites },
                                      { TABLE_PEERS, peers_of, fill_peers },
                                      { TABLE_WINDOWS, window_kinds, fill_windows },
                                      { TABLE_WAITS, rows_of, fill_waits },
                                      { TABLE_DELAYS, classes, fill_late },
                                      { TABLES, NULL, NULL } };
