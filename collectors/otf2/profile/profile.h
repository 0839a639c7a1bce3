/* The profile container while it is written: tables with their columns, strings, and gaps. */
#ifndef ADVISOR_OTF2_PROFILE_H
#define ADVISOR_OTF2_PROFILE_H

#include "table.h"
#include "trace.h"
#include <stdio.h>
#include <string.h>

/* `table` is the first, so that it stands for the whole where a table is written. */
struct writer {
    struct table_writer table;
    char *columns;
    size_t size;
    const struct definitions *definitions;
    const struct rank *ranks;
    const struct results *results;
    const uint8_t *faults; /* of counters: why they are not there */
};

/* A table made of `count` rows of each rank, or of the whole: `fill` makes one of them. 0: it is
 * left out. */
typedef int fill(const struct writer *writer, uint32_t rank, size_t i, void *row);
struct filled {
    enum table_number number;
    size_t (*count)(const struct writer *, uint32_t rank);
    fill *fill;
};
extern const struct filled rank_tables[],
    part_tables[]; /* up to TABLES; profile_columns.c, profile_parts.c */

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
