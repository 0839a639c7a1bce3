/* Putting piles together, and sending them. */
#include "pile.h"
#include "operations.h"
#include <stdlib.h>
#include <string.h>

/* Tables with rows of every rank. All others are sent together. */
static const enum table_number long_tables[LONG_TABLES] = { TABLE_RANKS, TABLE_DELAYS };

static int is_long(int table)
{
    return table == TABLE_RANKS || table == TABLE_DELAYS;
}

/* A variable that each rank has at another value would be in it as often as there are ranks: some
 * values will do. */
static void bound_settings(struct pile *pile)
{
    enum { VALUES = 16 };
    struct row_buffer *settings = &pile->tables[TABLE_SETTINGS];
    struct profile_settings *rows = settings->rows;
    size_t kept = 0;
    for (size_t i = 0; i < settings->count; i++)
        if (kept < VALUES || rows[kept - VALUES].name != rows[i].name ||
            rows[kept - VALUES].source != rows[i].source)
            rows[kept++] = rows[i];
    settings->count = kept;
}

void pile_sort_and_combine(struct pile *pile)
{
    phases_same_width(&pile->tables[TABLE_PHASES]);
    for (int i = 0; i < TABLES; i++)
        row_buffer_sort_and_combine(&pile->tables[i], &tables[i].rows);
    bound_settings(pile);
}

struct parcel {
    uint64_t build, overflowed_communicators, unsampled, counts[TABLES], texts;
};

static uint64_t build_mark(void)
{
    uint64_t mark = TEXT_EMPTY;
    for (const char *at = collector_build; *at; at++)
        mark = (mark ^ (unsigned char)*at) * 0x100000001b3ull;
    return mark;
}

static size_t packed_size(const struct pile *pile)
{
    const struct pile_text *texts = pile->texts.rows;
    size_t bytes = sizeof(struct parcel);
    for (int i = 0; i < TABLES; i++)
        bytes += is_long(i) ? 0 : pile->tables[i].count * tables[i].rows.size;
    for (size_t i = 0; i < pile->texts.count; i++)
        bytes += sizeof texts[i].hash + strlen(texts[i].value) + 1;
    return bytes;
}

static char *put(char *at, const void *from, size_t size)
{
    if (size)
        memcpy(at, from, size);
    return at + size;
}

char *pile_pack(const struct pile *pile, size_t *size)
{
    struct parcel parcel = {
        build_mark(), pile->overflowed_communicators, pile->unsampled, { 0 }, pile->texts.count
    };
    const struct pile_text *texts = pile->texts.rows;
    *size = packed_size(pile);
    char *bytes = pile->failed ? NULL : malloc(*size), *at = bytes;
    if (!bytes)
        return NULL;
    for (int i = 0; i < TABLES; i++)
        parcel.counts[i] = is_long(i) ? 0 : pile->tables[i].count;
    at = put(at, &parcel, sizeof parcel);
    for (int i = 0; i < TABLES; i++)
        at = put(at, pile->tables[i].rows, parcel.counts[i] * tables[i].rows.size);
    for (size_t i = 0; i < pile->texts.count; i++) {
        at = put(at, &texts[i].hash, sizeof texts[i].hash);
        at = put(at, texts[i].value, strlen(texts[i].value) + 1);
    }
    return bytes;
}

/* Rows at the end of a tidy table, and in their places. */
static void take(struct pile *pile, int table, const void *rows, size_t count)
{
    struct row_buffer *buffer = &pile->tables[table];
    const struct row_kind *kind = &tables[table].rows;
    const size_t first = buffer->count;
    void *place = count ? row_buffer_grow(buffer, kind->size, count) : NULL;
    if (place)
        memcpy(place, rows, count * kind->size);
    if (table == TABLE_PHASES && phases_same_width(buffer))
        row_buffer_sort_and_combine(buffer, kind);
    else
        pile->failed |= !row_buffer_merge(buffer, first, kind);
    pile->failed |= count && !place;
}

int pile_unpack(struct pile *pile, const char *bytes, size_t size)
{
    struct parcel parcel;
    uint64_t hash;
    if (size < sizeof parcel)
        return 0;
    memcpy(&parcel, bytes, sizeof parcel);
    if (parcel.build != build_mark())
        return 0;
    const char *at = bytes + sizeof parcel;
    for (int i = 0; i < TABLES; i++) {
        take(pile, i, at, parcel.counts[i]);
        at += parcel.counts[i] * tables[i].rows.size;
    }
    for (size_t i = 0; i < parcel.texts; i++, at += strlen(at) + 1) {
        memcpy(&hash, at, sizeof hash);
        pile_add_hashed(pile, hash, at += sizeof hash);
    }
    bound_settings(pile);
    pile->overflowed_communicators += parcel.overflowed_communicators;
    pile->unsampled |= parcel.unsampled;
    return !pile->failed;
}

const void *pile_long_rows(const struct pile *pile, enum pile_long table, size_t *bytes)
{
    const struct row_buffer *buffer = &pile->tables[long_tables[table]];
    *bytes = buffer->count * tables[long_tables[table]].rows.size;
    return buffer->rows;
}

void *pile_long_room(struct pile *pile, enum pile_long table, size_t bytes)
{
    const size_t size = tables[long_tables[table]].rows.size;
    void *place =
        bytes ? row_buffer_grow(&pile->tables[long_tables[table]], size, bytes / size) : NULL;
    pile->failed |= bytes && !place;
    return place;
}

void pile_long_join(struct pile *pile, enum pile_long table, size_t bytes)
{
    struct row_buffer *buffer = &pile->tables[long_tables[table]];
    const struct row_kind *kind = &tables[long_tables[table]].rows;
    pile->failed |= !row_buffer_merge(buffer, buffer->count - bytes / kind->size, kind);
}

void pile_free(struct pile *pile)
{
    struct pile_text *texts = pile->texts.rows;
    for (size_t i = 0; i < pile->texts.count; i++)
        free(texts[i].value);
    for (int i = 0; i < TABLES; i++)
        free(pile->tables[i].rows);
    free(pile->texts.rows);
    free(pile->text_index);
    memset(pile, 0, sizeof *pile);
}
