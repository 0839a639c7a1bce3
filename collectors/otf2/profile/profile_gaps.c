/* Gaps of the profile, with their reasons: what a trace does not contain. */
#include "profile.h"

/* Calls of operations that begin so; `unknown`: of which it is not known how long they waited. */
static uint64_t count_of(const struct writer *writer, const char *beginning, int unknown)
{
    uint64_t count = 0;
    for (uint32_t rank = 0; rank < writer->definitions->ranks; rank++)
        for (size_t i = 0; i < writer->ranks[rank].row_count; i++)
            if (!strncmp(writer->definitions->operations[key_operation(ROW->key)], beginning,
                         strlen(beginning)))
                count += unknown ? ROW->judged - ROW->known : ROW->count;
    return count;
}

/* Exchanges of which the trace has no messages: neither their size nor a partner is known. */
static uint64_t exchanges_alone(const struct writer *writer)
{
    uint64_t count = 0;
    for (uint32_t rank = 0; rank < writer->definitions->ranks; rank++)
        for (size_t i = 0; i < writer->ranks[rank].row_count; i++)
            if (!strncmp(writer->definitions->operations[key_operation(ROW->key)], "Isendrecv",
                         9) &&
                key_size_bin(ROW->key) == 0 && key_class(ROW->key) == CLASS_NONE)
                count += ROW->count;
    return count;
}

/* `count` in front of the reason, if there is one. */
static void add_gap(struct writer *writer, const char *subject, uint64_t count, const char *reason,
                    const char *collect)
{
    text_add(&writer->table.header, "%s{\"subject\":\"%s\",\"reason\":\"",
             text_separator(&writer->table.header), subject);
    if (count)
        text_add(&writer->table.header, "%llu", (unsigned long long)count);
    text_add(&writer->table.header, "%s\",\"collect\":\"%s\"}", reason, collect);
}

static void add_counter_gap(struct writer *writer, uint32_t metric, const char *reason)
{
    char subject[96];
    snprintf(subject, sizeof subject, "counters.%s", string_of(writer->definitions, metric));
    text_add(&writer->table.header, "%s{\"subject\":", text_separator(&writer->table.header));
    text_add_json(&writer->table.header, subject);
    text_add(&writer->table.header, ",\"reason\":\"%s\",\"collect\":\"\"}", reason);
}

static int is_counted(const struct writer *writer, const char *name)
{
    for (size_t i = 0; i < writer->definitions->metric_count; i++)
        if (!writer->faults[i] &&
            !strcmp(name, string_of(writer->definitions, writer->definitions->metrics[i].name)))
            return 1;
    return 0;
}

static int is_left_out(const struct definitions *definitions, uint32_t metric)
{
    for (size_t i = 0; i < definitions->left_out_count; i++)
        if (!strcmp(string_of(definitions, definitions->left_out[i].name),
                    string_of(definitions, metric)))
            return 1;
    return 0;
}

static void write_counter_gaps(struct writer *writer)
{
    static const char *const reasons[] = {
        [FAULT_BACKWARDS] = "the trace has values of it that no count can have",
        [FAULT_SELDOM] = "the trace has values of it too seldom to tell MPI from the program",
        [FAULT_ABSENT] = "the trace has no values of it from the threads that began MPI"
    };
    const struct definitions *definitions = writer->definitions;
    for (size_t i = 0; i < definitions->metric_count; i++)
        if (writer->faults[i] && !(writer->faults[i] == FAULT_ABSENT &&
                                   is_left_out(definitions, definitions->metrics[i].name)))
            add_counter_gap(writer, definitions->metrics[i].name, reasons[writer->faults[i]]);
    for (size_t i = 0; i < definitions->left_out_count; i++)
        if (!is_counted(writer, string_of(definitions, definitions->left_out[i].name)))
            add_counter_gap(writer, definitions->left_out[i].name, definitions->left_out[i].why);
}

void write_gaps(struct writer *writer)
{
    uint64_t flushes = 0;
    for (uint32_t rank = 0; rank < writer->definitions->ranks; rank++)
        flushes += writer->ranks[rank].flushes;
    text_add(&writer->table.header, "],\"gaps\":[");
    if (writer->results->path->is_lost)
        add_gap(writer, "path", 0,
                "there was no room for the steps of the critical path beside the profile",
                "set TMPDIR to a folder with more room");
    if (flushes)
        add_gap(writer, "ranks", flushes,
                " times the trace's buffer was full and was written while the program ran: calls "
                "around it look longer than they were",
                "a larger SCOREP_TOTAL_MEMORY");
    if (count_of(writer, "Win_flush", 0))
        add_gap(writer, "waits.locks", 0,
                "flushes of windows were not split into waiting and moving: when the target moved "
                "on is in no trace",
                "");
    if (count_of(writer, "Win_lock_all", 1))
        add_gap(writer, "waits.locks", 0,
                "who waited for MPI_Win_lock_all of many ranks, and whom it waited for, was not "
                "found out",
                "");
    if (exchanges_alone(writer))
        add_gap(writer, "waits.messages", exchanges_alone(writer),
                " calls of MPI_Isendrecv have no messages in the trace: others between the same "
                "ranks with the same tag may have been taken for them",
                "");
    if (count_of(writer, "Psend_init", 0) || count_of(writer, "Precv_init", 0))
        add_gap(writer, "waits.messages", 0,
                "what partitioned operations moved is in no record of a trace", "");
    write_counter_gaps(writer);
}
