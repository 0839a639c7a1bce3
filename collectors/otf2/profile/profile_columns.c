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

PUT(put_rank, int32_t, rank)
PUT(put_operation, uint32_t, operation_string(ROW->key & 0xFFFF))
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
/* Behind the regions, callers are sites. */
static uint32_t line_of(const struct definitions *definitions, uint64_t caller)
{
    return caller < definitions->region_count
               ? 0
               : definitions->sites[caller - definitions->region_count].line;
}
PUT(put_module, uint32_t, CLASS_UNKNOWN)
PUT(put_offset, uint64_t, ROW->caller)
PUT(put_function, uint32_t, caller_string(writer, ROW->caller - 1))
PUT(put_file, uint32_t, caller_string(writer, ROW->caller - 1) + 1)
PUT(put_line, uint32_t, line_of(writer->definitions, ROW->caller - 1))
#define TIMES                                                                   \
    { "count", "count", "<u8", put_count }, { "bytes", "B", "<u8", put_bytes }, \
        { "time", "s", "<f8", put_time }, { "min", "s", "<f8", put_shortest },  \
        { "max", "s", "<f8", put_longest }, { 0 }
static const struct column call_columns[] = { { "rank", "", "<i4", put_rank },
                                              { "operation", "", "text", put_operation },
                                              { "class", "", "text", put_class },
                                              { "bin", "", "<i2", put_bin },
                                              TIMES };
static const struct column member_columns[] = { { "rank", "", "<i4", put_rank },
                                                { "communicator", "", "<u8", put_communicator },
                                                { "operation", "", "text", put_operation },
                                                TIMES };
static const struct column site_columns[] = {
    { "rank", "", "<i4", put_rank },          { "module", "", "text", put_module },
    { "offset", "", "<u8", put_offset },      { "operation", "", "text", put_operation },
    { "function", "", "text", put_function }, { "file", "", "text", put_file },
    { "line", "", "<u4", put_line },          TIMES
};
static const struct column wait_columns[] = { { "rank", "", "<i4", put_rank },
                                              { "communicator", "", "<u8", put_communicator },
                                              { "operation", "", "text", put_operation },
                                              { "class", "", "text", put_class },
                                              { "bin", "", "<i2", put_bin },
                                              { "calls", "count", "<u8", put_judged },
                                              { "sampled", "count", "<u8", put_known },
                                              { "time", "s", "<f8", put_judged_time },
                                              { "duration", "s", "<f8", put_duration },
                                              { "wait", "s", "<f8", put_wait },
                                              { "unresolved", "s", "<f8", put_nothing },
                                              { "wrong_order", "s", "<f8", put_wrong_order },
                                              { 0 } };
static size_t rows_of(const struct writer *writer, uint32_t rank)
{
    return writer->ranks[rank].row_count;
}
static int is_member_row(const struct writer *writer, uint32_t rank, size_t i)
{
    return ROW->key >> 32 != 0;
}
static int has_caller(const struct writer *writer, uint32_t rank, size_t i)
{
    return ROW->caller != 0;
}
static int is_known(const struct writer *writer, uint32_t rank, size_t i)
{
    return ROW->known != 0;
}

#define PEER (&writer->ranks[rank].peers[i])
PUT(put_peer, int32_t, PEER->key >> 8)
PUT(put_path, uint32_t, PEER->key & 0xFF)
PUT(put_messages, uint64_t, PEER->messages)
PUT(put_sent, uint64_t, PEER->bytes)
static const struct column peer_columns[] = {
    { "rank", "", "<i4", put_rank },   { "peer", "", "<i4", put_peer },
    { "path", "", "text", put_path },  { "messages", "count", "<u8", put_messages },
    { "bytes", "B", "<u8", put_sent }, { 0 }
};
static size_t peers_of(const struct writer *writer, uint32_t rank)
{
    return writer->ranks[rank].peer_room;
}
static int is_peer(const struct writer *writer, uint32_t rank, size_t i)
{
    return PEER->messages != 0;
}

PUT(put_late_class, uint32_t, i)
PUT(put_instances, double, RANK->late[i].instances)
PUT(put_last, double, RANK->late[i].last)
PUT(put_caused, double, seconds(writer, RANK->late[i].caused))
static const struct column late_columns[] = { { "rank", "", "<i4", put_rank },
                                              { "class", "", "text", put_late_class },
                                              { "instances", "count", "<f8", put_instances },
                                              { "last", "count", "<f8", put_last },
                                              { "caused", "s", "<f8", put_caused },
                                              { 0 } };
static size_t classes(const struct writer *writer, uint32_t rank)
{
    (void)writer, (void)rank;
    return CLASSES;
}
static int has_late(const struct writer *writer, uint32_t rank, size_t i)
{
    return RANK->late[i].instances || RANK->late[i].caused;
}

PUT(put_kind, uint32_t, window_kind_string(writer, i / CLASSES))
PUT(put_window_class, uint32_t, i % CLASSES)
PUT(put_windows, uint64_t, RANK->windows[i])
static const struct column window_columns[] = { { "rank", "", "<i4", put_rank },
                                                { "kind", "", "text", put_kind },
                                                { "class", "", "text", put_window_class },
                                                { "count", "count", "<u8", put_windows },
                                                { 0 } };
static size_t window_kinds(const struct writer *writer, uint32_t rank)
{
    (void)writer, (void)rank;
    return 4 * CLASSES;
}
static int has_windows(const struct writer *writer, uint32_t rank, size_t i)
{
    return RANK->windows[i] != 0;
}

PUT(put_node, int32_t, writer->definitions->host_of[rank])
PUT(put_state, uint32_t, RANK->state ? RANK->state : RANK->init_begin ? 1 : 2)
PUT(put_process_begin, double, moment(writer, RANK->first))
PUT(put_init_begin, double, moment(writer, RANK->init_begin ? RANK->init_begin : RANK->first))
PUT(put_init_end, double, moment(writer, RANK->init_end ? RANK->init_end : RANK->first))
PUT(put_finalize_begin, double,
    moment(writer, RANK->finalize_begin ? RANK->finalize_begin : RANK->last))
PUT(put_finalize_end, double, moment(writer, RANK->finalize_end ? RANK->finalize_end : RANK->last))
PUT(put_threads, uint32_t, RANK->threads)
PUT(put_events, uint64_t, RANK->events)
PUT(put_folded, uint64_t, RANK->folded)
PUT(put_faults, uint64_t, RANK->faults)
PUT(put_unmatched, uint64_t, RANK->unmatched)
static const struct column rank_columns[] = { { "rank", "", "<i4", put_rank },
                                              { "node", "", "<i4", put_node },
                                              { "state", "", "<u4", put_state },
                                              { "process_begin", "s", "<f8", put_process_begin },
                                              { "init_begin", "s", "<f8", put_init_begin },
                                              { "init_end", "s", "<f8", put_init_end },
                                              { "finalize_begin", "s", "<f8", put_finalize_begin },
                                              { "finalize_end", "s", "<f8", put_finalize_end },
                                              { "threads_called", "count", "<u4", put_threads },
                                              { "events", "count", "<u8", put_events },
                                              { "folded", "count", "<u8", put_folded },
                                              { "clock_faults", "count", "<u8", put_faults },
                                              { "unmatched", "count", "<u8", put_unmatched },
                                              { 0 } };
static size_t one(const struct writer *writer, uint32_t rank)
{
    (void)writer, (void)rank;
    return 1;
}

#define COMMUNICATOR (&writer->definitions->communicators[i])
PUT(put_id, uint64_t, i + 1)
PUT(put_name, uint32_t, communicator_string(writer, i))
PUT(put_size, uint32_t, COMMUNICATOR->size + COMMUNICATOR->size_far)
PUT(put_nodes, uint32_t, COMMUNICATOR->nodes)
PUT(put_communicator_class, uint32_t, COMMUNICATOR->class)
PUT(put_world, uint8_t, COMMUNICATOR->is_world)
PUT(put_order, uint32_t, i)
static const struct column communicator_columns[] = { { "id", "", "<u8", put_id },
                                                      { "name", "", "text", put_name },
                                                      { "size", "count", "<u4", put_size },
                                                      { "nodes", "count", "<u4", put_nodes },
                                                      { "class", "", "text",
                                                        put_communicator_class },
                                                      { "world", "", "<u1", put_world },
                                                      { "order", "", "<u4", put_order },
                                                      { 0 } };
static size_t communicators(const struct writer *writer, uint32_t rank)
{
    return rank ? 0 : writer->definitions->communicator_count;
}
static int is_used(const struct writer *writer, uint32_t rank, size_t i)
{
    (void)rank;
    return COMMUNICATOR->used;
}

const struct table rank_tables[] = { { "ranks", one, NULL, rank_columns },
                                     { "communicators", communicators, is_used,
                                       communicator_columns },
                                     { "calls", rows_of, NULL, call_columns },
                                     { "members", rows_of, is_member_row, member_columns },
                                     { "sites", rows_of, has_caller, site_columns },
                                     { "peers", peers_of, is_peer, peer_columns },
                                     { "windows", window_kinds, has_windows, window_columns },
                                     { "waits", rows_of, is_known, wait_columns },
                                     { "late", classes, has_late, late_columns },
                                     { NULL, NULL, NULL, NULL } };
