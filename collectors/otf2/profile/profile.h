/* The profile container while it is written: tables with their columns, strings, and what is
 * missing. */
#ifndef ADVISOR_OTF2_PROFILE_H
#define ADVISOR_OTF2_PROFILE_H

#include "trace.h"
#include "text.h"
#include <stdio.h>
#include <string.h>

struct writer {
    struct text header;
    FILE *data;
    char *columns;
    size_t size, offset;
    const struct definitions *definitions;
    const struct rank *ranks;
    const struct results *results;
    const uint8_t *faults; /* of counters: why they are not there */
};

/* One cell of a table: row `i` of rank `rank`, or of the whole. */
typedef void cell(const struct writer *writer, uint32_t rank, size_t i, void *to);
struct column {
    const char *name, *unit, *type;
    cell *put;
};
typedef int keeps(const struct writer *writer, uint32_t rank, size_t i);
struct table {
    const char *name;
    size_t (*rows)(const struct writer *, uint32_t rank);
    keeps *keep;
    const struct column *columns;
};

extern const struct table rank_tables[],
    part_tables[]; /* up to the one without a name; profile_columns.c, profile_parts.c */

/* A column whose cells are this expression of writer, rank and i. */
#define PUT(name, type, expression)                                                  \
    static void name(const struct writer *writer, uint32_t rank, size_t i, void *to) \
    {                                                                                \
        (void)writer, (void)rank, (void)i;                                           \
        type value = (type)(expression);                                             \
        memcpy(to, &value, sizeof value);                                            \
    }
#define RANK (&writer->ranks[rank])
#define ROW  (&writer->ranks[rank].rows[i])

static inline double seconds(const struct writer *writer, uint64_t ticks)
{
    return (double)ticks / (double)writer->definitions->resolution;
}

/* profile_strings.c: all of the container, and which of them is what. A caller is a region, or
 * behind the regions a site; both have a name and a file. */
void write_strings(struct writer *writer);
uint32_t operation_string(size_t operation);
uint32_t caller_string(const struct writer *writer, size_t caller); /* its file follows */
uint32_t window_kind_string(const struct writer *writer, size_t kind);
uint32_t communicator_string(const struct writer *writer, size_t communicator);
uint32_t metric_string(const struct writer *writer, size_t metric);

void write_gaps(struct writer *writer); /* profile_gaps.c */

#endif
