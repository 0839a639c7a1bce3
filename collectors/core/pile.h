/* What the ranks hand on at the end: rows of all tables, which can be put together in any order and
 * sent as bytes. */
#ifndef ADVISOR_PILE_H
#define ADVISOR_PILE_H

#include "record.h"
#include "table.h"

struct pile_text {
    uint64_t hash;
    char *value;
};
#define TEXT_EMPTY 0xcbf29ce484222325ull /* the hash of "" */

struct pile {
    struct row_buffer tables[TABLES],
        texts;            /* rows are struct profile_…, schema/tables.txt describes them */
    uint32_t *text_index; /* open addressing: number of a text plus one */
    size_t text_room;
    uint64_t overflowed_communicators;
    uint64_t unsampled; /* bits: unsampled.h */
    int aggregated;     /* rows of most ranks are sums over them */
    int failed;         /* memory ran out: the pile is not complete */
};

void *pile_add(struct pile *pile, enum table_number table,
               const void *row); /* where it lies now; NULL: no memory */
uint64_t pile_add_text(struct pile *pile, const char *value);
void pile_add_hashed(struct pile *pile, uint64_t hash, const char *value);
const char *pile_text(const struct pile *pile, uint64_t hash);
void pile_add_record(struct pile *pile,
                     const struct record *record); /* what this rank has counted */

enum {
    PHASE_GROUPS = 64
}; /* with more ranks than these, a row of `phases` is of some neighbours together */
/* Seconds since the end of MPI_Init, each `weight` times, in column `column` of the slices that
 * they are in. */
enum phase_column { PHASE_SPLIT, PHASE_WAIT, PHASE_CAUSED };
void pile_add_phase(struct pile *pile, const struct record *record, int rank,
                    enum phase_column column, double from, double to, double weight);
void pile_add_phases(struct pile *pile, const struct record *record);
int phases_same_width(
    struct row_buffer *phases); /* 0: they were; else rows may stand twice, and must be combined */
void pile_sort_and_combine(struct pile *pile); /* sorts, puts equal keys together */

/* A tidy pile as bytes, but for the two tables with rows of every rank: these go from memory to
 * memory as they are. A pile that receives is tidy before and afterwards. */
enum pile_long { LONG_RANKS, LONG_LATE, LONG_TABLES };
char *pile_pack(const struct pile *pile, size_t *size);             /* NULL: no memory */
int pile_unpack(struct pile *pile, const char *bytes, size_t size); /* 0: not understood */
const void *pile_long_rows(const struct pile *pile, enum pile_long table, size_t *bytes);
void *pile_long_room(struct pile *pile, enum pile_long table,
                     size_t bytes); /* where to put them; NULL: no memory */
void pile_long_join(struct pile *pile, enum pile_long table,
                    size_t bytes); /* when they are there */
void pile_free(struct pile *pile);

/* The profile container: FORMAT.md. */
struct profile_facts {
    const char *library_text, *library_path, *standard, *device, *transport;
    int ranks;
    const char *gap, *missing_counters;
};
void profile_write_facts(struct text *header, const struct pile *pile,
                         const struct profile_facts *facts); /* all that stands before the tables */
int profile_write(const struct pile *pile, const struct profile_facts *facts, const char *path);

#endif
