/* What the ranks hand on at the end: rows of all tables, which can be put together in any order and
 * sent as bytes. */
#ifndef ADVISOR_MERGED_H
#define ADVISOR_MERGED_H

#include "record.h"
#include "table.h"

struct merged_text {
    uint64_t hash;
    char *value;
};
#define TEXT_EMPTY 0xcbf29ce484222325ull /* the hash of "" */

struct merged {
    struct row_buffer tables[TABLES],
        texts;            /* rows are struct profile_…, schema/tables.txt describes them */
    uint32_t *text_index; /* open addressing: number of a text plus one */
    size_t text_room;
    uint64_t overflowed_communicators;
    uint64_t unsampled; /* bits: unsampled.h */
    int aggregated;     /* rows of most ranks are sums over them */
    int failed;         /* memory ran out: some rows are missing */
};

void *merged_add(struct merged *merged, enum table_number table,
                 const void *row); /* where it lies now; NULL: no memory */
uint64_t merged_add_text(struct merged *merged, const char *value);
void merged_add_hashed(struct merged *merged, uint64_t hash, const char *value);
const char *merged_text(const struct merged *merged, uint64_t hash);
void merged_add_record(struct merged *merged,
                       const struct record *record); /* what this rank has counted */

enum {
    PHASE_GROUPS = 64
}; /* with more ranks than these, a row of `phases` is of some neighbours together */
/* Seconds since the end of MPI_Init, each `weight` times, in column `column` of the slices that
 * they are in. */
enum phase_column { PHASE_SPLIT, PHASE_WAIT, PHASE_CAUSED };
void merged_add_phase(struct merged *merged, const struct record *record, int rank,
                      enum phase_column column, double from, double to, double weight);
void merged_add_phases(struct merged *merged, const struct record *record);
int phases_same_width(
    struct row_buffer *phases); /* 0: they were; else rows may stand twice, and must be combined */
void merged_sort_and_combine(struct merged *merged); /* sorts, puts equal keys together */

/* Tidy tables as bytes, but for the two tables with rows of every rank: these go from memory to
 * memory as they are. Those that receive are tidy before and afterwards. */
enum merged_long { LONG_RANKS, LONG_LATE, LONG_TABLES };
char *merged_pack(const struct merged *merged, size_t *size);             /* NULL: no memory */
int merged_unpack(struct merged *merged, const char *bytes, size_t size); /* 0: not understood */
const void *merged_long_rows(const struct merged *merged, enum merged_long table, size_t *bytes);
void *merged_long_room(struct merged *merged, enum merged_long table,
                       size_t bytes); /* where to put them; NULL: no memory */
void merged_long_join(struct merged *merged, enum merged_long table,
                      size_t bytes); /* when they are there */
void merged_free(struct merged *merged);

#endif
