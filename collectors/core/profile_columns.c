/* What stands in each column of the profile container's tables. See FORMAT.md. */
#include "profile_writer.h"
#include "operations.h"
#include <string.h>

#define PUT(name, row_type, value_type, expression)                   \
    static void name(struct writer *writer, const void *at, void *to) \
    {                                                                 \
        const row_type *row = at;                                     \
        (void)writer;                                                 \
        value_type value = (value_type)(expression);                  \
        memcpy(to, &value, sizeof value);                             \
    }

typedef struct pile_row row_t;
PUT(put_rank, row_t, int32_t, row->rank)
PUT(put_call_operation, row_t, uint32_t, profile_name(writer, operation_names[row->first & 0xFFFF]))
PUT(put_call_class, row_t, uint32_t,
    profile_name(writer, class_names[(row->first >> 16 & 0xFF) % CLASS_COUNT]))
PUT(put_call_bin, row_t, int16_t, (int)(row->first >> 24 & 0xFF) - 1)
PUT(put_operation, row_t, uint32_t, profile_name(writer, operation_names[row->first]))
PUT(put_second, row_t, uint64_t, row->second)
PUT(put_module, row_t, uint32_t, profile_text(writer, row->second))
PUT(put_third, row_t, uint64_t, row->third)
PUT(put_count, row_t, uint64_t, row->count)
PUT(put_bytes, row_t, uint64_t, row->bytes)
PUT(put_time, row_t, double, row->time)
PUT(put_shortest, row_t, double, row->shortest)
PUT(put_longest, row_t, double, row->longest)
PUT(put_peer, row_t, int32_t, (uint32_t)row->first)
PUT(put_path, row_t, uint32_t, profile_name(writer, class_names[row->second % CLASS_COUNT]))
PUT(put_kind, row_t, uint32_t, profile_name(writer, window_kind_names[row->first % WINDOW_KINDS]))
PUT(put_window_class, row_t, uint32_t, profile_name(writer, class_names[row->second % CLASS_COUNT]))

#define TIMES                                                                         \
    { "count", "count", "<u8", 8, put_count }, { "bytes", "B", "<u8", 8, put_bytes }, \
        { "time", "s", "<f8", 8, put_time }, { "min", "s", "<f8", 8, put_shortest },  \
        { "max", "s", "<f8", 8, put_longest }, { 0 }
static const struct column call_columns[] = { { "rank", "", "<i4", 4, put_rank },
                                              { "operation", "", "text", 4, put_call_operation },
                                              { "class", "", "text", 4, put_call_class },
                                              { "bin", "", "<i2", 2, put_call_bin },
                                              TIMES };
static const struct column member_columns[] = { { "rank", "", "<i4", 4, put_rank },
                                                { "communicator", "", "<u8", 8, put_second },
                                                { "operation", "", "text", 4, put_operation },
                                                TIMES };
static const struct column site_columns[] = { { "rank", "", "<i4", 4, put_rank },
                                              { "module", "", "text", 4, put_module },
                                              { "offset", "", "<u8", 8, put_third },
                                              { "operation", "", "text", 4, put_operation },
                                              TIMES };
static const struct column peer_columns[] = {
    { "rank", "", "<i4", 4, put_rank },    { "peer", "", "<i4", 4, put_peer },
    { "path", "", "text", 4, put_path },   { "messages", "count", "<u8", 8, put_count },
    { "bytes", "B", "<u8", 8, put_bytes }, { 0 }
};
static const struct column window_columns[] = {
    { "rank", "", "<i4", 4, put_rank },           { "kind", "", "text", 4, put_kind },
    { "class", "", "text", 4, put_window_class }, { "count", "count", "<u8", 8, put_count },
    { "bytes", "B", "<u8", 8, put_bytes },        { 0 }
};
/* Of an operation as a whole: no class, and the bin of sizes that were not kept apart. */
PUT(put_spread_class, row_t, uint32_t,
    row->third ? profile_name(writer, "")
               : profile_name(writer, class_names[(row->first >> 16 & 0xFF) % CLASS_COUNT]))
PUT(put_spread_bin, row_t, int16_t, row->third ? -2 : (int)(row->first >> 24 & 0xFF) - 1)
PUT(put_longest_rank, row_t, int32_t, row->bytes >> 32)
PUT(put_shortest_rank, row_t, int32_t, row->bytes)
static const struct column spread_columns[] = { { "operation", "", "text", 4, put_call_operation },
                                                { "class", "", "text", 4, put_spread_class },
                                                { "bin", "", "<i2", 2, put_spread_bin },
                                                { "ranks", "count", "<u8", 8, put_count },
                                                { "time", "s", "<f8", 8, put_time },
                                                { "min", "s", "<f8", 8, put_shortest },
                                                { "max", "s", "<f8", 8, put_longest },
                                                { "min_rank", "", "<i4", 4, put_shortest_rank },
                                                { "max_rank", "", "<i4", 4, put_longest_rank },
                                                { 0 } };
const struct column *const row_columns[PILE_TABLES] = {
    call_columns, member_columns, site_columns, peer_columns, window_columns, spread_columns
};
const char *const row_tables[PILE_TABLES] = { "calls", "members", "sites",
                                              "peers", "windows", "spread" };

typedef struct pile_communicator communicator_t;
PUT(put_id, communicator_t, uint64_t, row->id)
PUT(put_name, communicator_t, uint32_t, profile_text(writer, row->name))
PUT(put_size, communicator_t, uint32_t, row->size)
PUT(put_nodes, communicator_t, uint32_t, row->nodes)
PUT(put_class, communicator_t, uint32_t,
    profile_name(writer, class_names[row->class % CLASS_COUNT]))
PUT(put_world, communicator_t, uint8_t, row->world)
PUT(put_order, communicator_t, uint32_t, row->order)
PUT(put_freed, communicator_t, uint8_t, row->freed)
const struct column communicator_columns[] = { { "id", "", "<u8", 8, put_id },
                                               { "name", "", "text", 4, put_name },
                                               { "size", "count", "<u4", 4, put_size },
                                               { "nodes", "count", "<u4", 4, put_nodes },
                                               { "class", "", "text", 4, put_class },
                                               { "world", "", "<u1", 1, put_world },
                                               { "order", "", "<u4", 4, put_order },
                                               { "freed", "", "<u1", 1, put_freed },
                                               { 0 } };

typedef struct pile_rank rank_t;
#define RANK_COLUMNS(X)                                                                            \
    X(rank, "", "<i4", int32_t)                                                                    \
    X(node, "", "<i4", int32_t)                                                                    \
    X(pid, "", "<i4", int32_t)                                                                     \
    X(state, "", "<u4", uint32_t)                                                                  \
    X(process_begin, "s", "<f8", double)                                                           \
    X(init_begin, "s", "<f8", double)                                                              \
    X(init_end, "s", "<f8", double) X(finalize_begin, "s", "<f8", double)                          \
        X(finalize_end, "s", "<f8", double) X(clock_offset, "s", "<f8", double)                    \
            X(clock_error, "s", "<f8", double) X(thread_requested, "", "<u1", uint8_t) X(          \
                thread_provided, "", "<u1", uint8_t) X(threads_called, "count", "<u4", uint32_t)   \
                X(threads, "count", "<u4", uint32_t) X(omp_threads, "count", "<u4", uint32_t) X(   \
                    cores, "count", "<u4", uint32_t) X(memory_peak, "B", "<u8", uint64_t)          \
                    X(user_time, "s", "<f8", double) X(system_time, "s", "<f8", double) X(         \
                        voluntary_switches, "count", "<u8",                                        \
                        uint64_t) X(involuntary_switches, "count", "<u8", uint64_t)                \
                        X(major_faults, "count", "<u8",                                            \
                          uint64_t) X(events, "count", "<u8", uint64_t)                            \
                            X(event_cost, "s", "<f8", double) X(finalize_cost, "s", "<f8", double) \
                                X(folded, "count", "<u8",                                          \
                                  uint64_t) X(clock_faults, "count", "<u8", uint64_t)              \
                                    X(control_levels, "count", "<u8",                              \
                                      uint64_t) X(own_memory, "B", "<u8", uint64_t)                \
                                        X(children, "count", "<u8",                                \
                                          uint64_t) X(unmatched, "count", "<u8", uint64_t)         \
                                            X(no_core_inside, "s", "<f8",                          \
                                              double) X(no_core_outside, "s", "<f8", double)       \
                                                X(asleep_inside, "s", "<f8", double)               \
                                                    X(asleep_outside, "s", "<f8", double)          \
                                                        X(no_core_helpers, "s", "<f8", double)     \
                                                            X(run_delay_told, "", "<u1", uint8_t)
#define X(name, unit, dtype, type) PUT(put_rank_##name, rank_t, type, row->values.name)
RANK_COLUMNS(X)
#undef X
PUT(put_cpus, rank_t, uint32_t, profile_text(writer, row->cpus))
const struct column rank_columns[] = {
#define X(name, unit, dtype, type) { #name, unit, dtype, sizeof(type), put_rank_##name },
    RANK_COLUMNS(X)
#undef X
        { "cpus", "", "text", 4, put_cpus },
    { 0 }
};
PUT(put_summary_mpi_time, rank_t, double, row->values.mpi_time)
PUT(put_summary_wait_time, rank_t, double, row->values.wait_time)
PUT(put_summary_bytes_sent, rank_t, uint64_t, row->values.bytes_sent)
const struct column summary_columns[] = { { "mpi_time", "s", "<f8", 8, put_summary_mpi_time },
                                          { "wait_time", "s", "<f8", 8, put_summary_wait_time },
                                          { "bytes_sent", "B", "<u8", 8, put_summary_bytes_sent },
                                          { 0 } };

typedef struct pile_wait wait_t;
#define WAIT_VALUES(X)                                                         \
    X(time, "s")                                                               \
    X(duration, "s")                                                           \
    X(wait, "s")                                                               \
    X(unresolved, "s")                                                         \
    X(hideable, "s")                                                           \
    X(propagated, "s")                                                         \
    X(handed_on, "s") X(set_up, "s") X(wait_wait, "s2") X(wait_duration, "s2") \
        X(duration_duration, "s2")
PUT(put_wait_rank, wait_t, int32_t, row->rank)
PUT(put_wait_operation, wait_t, uint32_t, profile_name(writer, operation_names[row->key & 0xFFFF]))
PUT(put_wait_class, wait_t, uint32_t,
    profile_name(writer, class_names[(row->key >> 16 & 0xFF) % CLASS_COUNT]))
PUT(put_wait_after, wait_t, uint32_t,
    profile_name(writer, row->after ? operation_names[row->after] : ""))
PUT(put_wait_bin, wait_t, int16_t, (int)(row->key >> 24 & 0xFF) - 1)
PUT(put_wait_communicator, wait_t, uint64_t, row->communicator)
PUT(put_wait_calls, wait_t, uint64_t, row->calls)
PUT(put_wait_sampled, wait_t, uint64_t, row->sampled)
#define X(name, unit) PUT(put_wait_##name, wait_t, double, row->name)
WAIT_VALUES(X)
#undef X
const struct column wait_columns[] = { { "rank", "", "<i4", 4, put_wait_rank },
                                       { "operation", "", "text", 4, put_wait_operation },
                                       { "class", "", "text", 4, put_wait_class },
                                       { "bin", "", "<i2", 2, put_wait_bin },
                                       { "communicator", "", "<u8", 8, put_wait_communicator },
                                       { "calls", "count", "<u8", 8, put_wait_calls },
                                       { "sampled", "count", "<u8", 8, put_wait_sampled },
                                       { "after", "", "text", 4, put_wait_after },
#define X(name, unit) { #name, unit, "<f8", 8, put_wait_##name },
                                       WAIT_VALUES(X)
#undef X
                                           { 0 } };

typedef struct pile_late late_t;
PUT(put_late_rank, late_t, int32_t, row->rank)
PUT(put_late_class, late_t, uint32_t, profile_name(writer, class_names[row->class % CLASS_COUNT]))
PUT(put_late_instances, late_t, double, row->instances)
PUT(put_late_last, late_t, double, row->last)
PUT(put_late_caused, late_t, double, row->caused)
const struct column late_columns[] = { { "rank", "", "<i4", 4, put_late_rank },
                                       { "class", "", "text", 4, put_late_class },
                                       { "instances", "count", "<f8", 8, put_late_instances },
                                       { "last", "count", "<f8", 8, put_late_last },
                                       { "caused", "s", "<f8", 8, put_late_caused },
                                       { 0 } };

typedef struct pile_phase phase_t;
typedef struct pile_region region_t;
#define KINDS(X)                   \
    X(collective, KIND_COLLECTIVE) \
    X(messages, KIND_MESSAGES)     \
    X(completion, KIND_COMPLETION) \
    X(onesided, KIND_ONESIDED) X(io, KIND_IO) X(management, KIND_OTHER)
PUT(put_phase_rank, phase_t, int32_t, row->rank)
PUT(put_phase_ranks, phase_t, uint32_t, row->ranks)
PUT(put_phase_slice, phase_t, uint32_t, row->slice)
PUT(put_phase_width, phase_t, double, row->width)
PUT(put_phase_calls, phase_t, uint64_t, row->calls)
PUT(put_phase_bytes, phase_t, uint64_t, row->bytes)
PUT(put_phase_split, phase_t, double, row->split)
PUT(put_phase_wait, phase_t, double, row->wait)
PUT(put_phase_caused, phase_t, double, row->caused)
PUT(put_phase_no_core_inside, phase_t, double, row->no_core_inside)
PUT(put_phase_no_core_outside, phase_t, double, row->no_core_outside)
#define X(name, kind)                                       \
    PUT(put_phase_##name, phase_t, double, row->time[kind]) \
    PUT(put_region_##name, region_t, double, row->mpi[kind])
KINDS(X)
#undef X
const struct column phase_columns[] = {
    { "rank", "", "<i4", 4, put_phase_rank },
    { "ranks", "count", "<u4", 4, put_phase_ranks },
    { "slice", "", "<u4", 4, put_phase_slice },
    { "width", "s", "<f8", 8, put_phase_width },
#define X(name, kind) { #name, "s", "<f8", 8, put_phase_##name },
    KINDS(X)
#undef X
        { "calls", "count", "<u8", 8, put_phase_calls },
    { "bytes", "B", "<u8", 8, put_phase_bytes },
    { "split", "s", "<f8", 8, put_phase_split },
    { "wait", "s", "<f8", 8, put_phase_wait },
    { "caused", "s", "<f8", 8, put_phase_caused },
    { "no_core_inside", "s", "<f8", 8, put_phase_no_core_inside },
    { "no_core_outside", "s", "<f8", 8, put_phase_no_core_outside },
    { 0 }
};
PUT(put_region_rank, region_t, int32_t, row->rank)
PUT(put_region_level, region_t, int32_t, row->level)
PUT(put_region_entries, region_t, uint64_t, row->entries)
PUT(put_region_time, region_t, double, row->time)
PUT(put_region_calls, region_t, uint64_t, row->calls)
PUT(put_region_bytes, region_t, uint64_t, row->bytes)
const struct column region_columns[] = { { "rank", "", "<i4", 4, put_region_rank },
                                         { "level", "", "<i4", 4, put_region_level },
                                         { "entries", "count", "<u8", 8, put_region_entries },
                                         { "time", "s", "<f8", 8, put_region_time },
#define X(name, kind) { #name, "s", "<f8", 8, put_region_##name },
                                         KINDS(X)
#undef X
                                             { "calls", "count", "<u8", 8, put_region_calls },
                                         { "bytes", "B", "<u8", 8, put_region_bytes },
                                         { 0 } };

typedef struct pile_counter counter_t;
PUT(put_counter_rank, counter_t, int32_t, row->rank)
PUT(put_counter_name, counter_t, uint32_t, profile_text(writer, row->name))
PUT(put_counter_total, counter_t, uint64_t, row->total)
#define COUNTER_PARTS(X)                                                         \
    X(inside, "count", 0)                                                        \
    X(inside_time, "s", 1)                                                       \
    X(inside_squares, "", 2)                                                     \
    X(inside_products, "", 3)                                                    \
    X(inside_time_squares, "s2", 4)                                              \
    X(outside, "count", 5)                                                       \
    X(outside_time, "s", 6) X(outside_squares, "", 7) X(outside_products, "", 8) \
        X(outside_time_squares, "s2", 9)
#define X(name, unit, part) PUT(put_counter_##name, counter_t, double, row->parts[part])
COUNTER_PARTS(X)
#undef X
const struct column counter_columns[] = { { "rank", "", "<i4", 4, put_counter_rank },
                                          { "counter", "", "text", 4, put_counter_name },
                                          { "total", "count", "<u8", 8, put_counter_total },
#define X(name, unit, part) { #name, unit, "<f8", 8, put_counter_##name },
                                          COUNTER_PARTS(X)
#undef X
                                              { 0 } };

typedef struct pile_variable variable_t;
PUT(put_variable_rank, variable_t, int32_t, row->rank)
PUT(put_variable_name, variable_t, uint32_t, profile_text(writer, row->name))
PUT(put_variable_kind, variable_t, uint32_t, profile_text(writer, row->kind))
PUT(put_variable_ranks, variable_t, uint64_t, row->ranks)
PUT(put_variable_reads, variable_t, uint64_t, row->reads)
PUT(put_variable_sum, variable_t, double, row->sum)
PUT(put_variable_most, variable_t, double, row->most)
PUT(put_variable_last, variable_t, double, row->last)
const struct column variable_columns[] = { { "rank", "", "<i4", 4, put_variable_rank },
                                           { "variable", "", "text", 4, put_variable_name },
                                           { "kind", "", "text", 4, put_variable_kind },
                                           { "ranks", "count", "<u8", 8, put_variable_ranks },
                                           { "reads", "count", "<u8", 8, put_variable_reads },
                                           { "sum", "", "<f8", 8, put_variable_sum },
                                           { "most", "", "<f8", 8, put_variable_most },
                                           { "last", "", "<f8", 8, put_variable_last },
                                           { 0 } };

typedef struct pile_stack frame_t;
PUT(put_stack, frame_t, uint64_t, row->stack)
PUT(put_stack_level, frame_t, uint32_t, row->level)
PUT(put_stack_operation, frame_t, uint32_t, profile_name(writer, operation_names[row->operation]))
PUT(put_stack_module, frame_t, uint32_t, profile_text(writer, row->module))
PUT(put_stack_offset, frame_t, uint64_t, row->offset)
PUT(put_stack_function, frame_t, uint32_t, profile_text(writer, row->function))
PUT(put_stack_count, frame_t, double, row->count)
PUT(put_stack_time, frame_t, double, row->time)
PUT(put_stack_counts, frame_t, double, row->count_count)
PUT(put_stack_times, frame_t, double, row->time_time)
const struct column stack_columns[] = { { "stack", "", "<u8", 8, put_stack },
                                        { "level", "", "<u4", 4, put_stack_level },
                                        { "operation", "", "text", 4, put_stack_operation },
                                        { "module", "", "text", 4, put_stack_module },
                                        { "offset", "", "<u8", 8, put_stack_offset },
                                        { "function", "", "text", 4, put_stack_function },
                                        { "count", "count", "<f8", 8, put_stack_count },
                                        { "time", "s", "<f8", 8, put_stack_time },
                                        { "count_count", "", "<f8", 8, put_stack_counts },
                                        { "time_time", "s2", "<f8", 8, put_stack_times },
                                        { 0 } };

typedef struct pile_overlap overlap_t;
#define OVERLAP_VALUES(X) \
    X(calls, "count")     \
    X(messages, "count")  \
    X(reference, "s")     \
    X(possible, "s")      \
    X(achieved, "s")      \
    X(starved, "count")   \
    X(variance, "s2") X(longer_reference, "s") X(longer_possible, "s") X(longer_achieved, "s")
PUT(put_overlap_path, overlap_t, uint32_t,
    profile_name(writer, class_names[row->path % CLASS_COUNT]))
PUT(put_overlap_bin, overlap_t, int16_t, (int)row->bin - 1)
#define X(name, unit) PUT(put_overlap_##name, overlap_t, double, row->name)
OVERLAP_VALUES(X)
#undef X
const struct column overlap_columns[] = { { "path", "", "text", 4, put_overlap_path },
                                          { "bin", "", "<i2", 2, put_overlap_bin },
#define X(name, unit) { #name, unit, "<f8", 8, put_overlap_##name },
                                          OVERLAP_VALUES(X)
#undef X
                                              { 0 } };

typedef struct pile_reference reference_t;
PUT(put_reference_path, reference_t, uint32_t,
    profile_name(writer, class_names[row->path % CLASS_COUNT]))
PUT(put_reference_bytes, reference_t, uint64_t, row->bytes)
PUT(put_reference_from, reference_t, int32_t, row->from)
PUT(put_reference_to, reference_t, int32_t, row->to)
PUT(put_reference_least, reference_t, double, row->least)
PUT(put_reference_most, reference_t, double, row->most)
const struct column reference_columns[] = { { "path", "", "text", 4, put_reference_path },
                                            { "bytes", "B", "<u8", 8, put_reference_bytes },
                                            { "from", "", "<i4", 4, put_reference_from },
                                            { "to", "", "<i4", 4, put_reference_to },
                                            { "least", "s", "<f8", 8, put_reference_least },
                                            { "most", "s", "<f8", 8, put_reference_most },
                                            { 0 } };
