/* Rows and texts, one by one. */
#define _GNU_SOURCE
#include "merged.h"
#include <stdlib.h>
#include <string.h>

static void *add_row(struct merged *merged, struct row_buffer *buffer, size_t size, const void *row)
{
    void *place = row_buffer_grow(buffer, size, 1);
    if (!place) {
        merged->failed = 1;
        return NULL;
    }
    return memcpy(place, row, size);
}

void *merged_add(struct merged *merged, enum table_number table, const void *row)
{
    return add_row(merged, &merged->tables[table], tables[table].rows.size, row);
}

static uint64_t hash_of(const char *value)
{
    uint64_t hash = TEXT_EMPTY;
    for (; *value; value++)
        hash = (hash ^ (unsigned char)*value) * 0x100000001b3ull;
    return hash;
}

/* The place of a text in the index: its own, or the free one where it belongs. */
static uint32_t *text_place(const struct merged *merged, uint64_t hash)
{
    const struct merged_text *texts = merged->texts.rows;
    size_t slot = (hash ^ hash >> 32) & (merged->text_room - 1);
    while (merged->text_index[slot] && texts[merged->text_index[slot] - 1].hash != hash)
        slot = (slot + 1) & (merged->text_room - 1);
    return &merged->text_index[slot];
}

static int grow_text_index(struct merged *merged)
{
    size_t room = merged->text_room ? 4 * merged->text_room : 256;
    uint32_t *index = calloc(room, sizeof *index);
    if (!index)
        return 0;
    free(merged->text_index);
    merged->text_index = index;
    merged->text_room = room;
    for (size_t i = 0; i < merged->texts.count; i++)
        *text_place(merged, ((struct merged_text *)merged->texts.rows)[i].hash) = (uint32_t)i + 1;
    return 1;
}

const char *merged_text(const struct merged *merged, uint64_t hash)
{
    uint32_t number = merged->text_room ? *text_place(merged, hash) : 0;
    return number ? ((struct merged_text *)merged->texts.rows)[number - 1].value : "";
}

void merged_add_hashed(struct merged *merged, uint64_t hash, const char *value)
{
    struct merged_text text = { hash, NULL };
    if (2 * merged->texts.count >= merged->text_room && !grow_text_index(merged))
        merged->failed = 1;
    uint32_t *place = merged->text_room && 2 * merged->texts.count < merged->text_room
                          ? text_place(merged, hash)
                          : NULL;
    if (!place || *place)
        return;
    text.value = strdup(value);
    if (!text.value)
        merged->failed = 1;
    else if (add_row(merged, &merged->texts, sizeof text, &text))
        *place = (uint32_t)merged->texts.count;
}

uint64_t merged_add_text(struct merged *merged, const char *value)
{
    uint64_t hash = hash_of(value);
    merged_add_hashed(merged, hash, value);
    return hash;
}

void merged_free(struct merged *merged)
{
    struct merged_text *texts = merged->texts.rows;
    for (size_t i = 0; i < merged->texts.count; i++)
        free(texts[i].value);
    for (int i = 0; i < TABLES; i++)
        free(merged->tables[i].rows);
    free(merged->texts.rows);
    free(merged->text_index);
    memset(merged, 0, sizeof *merged);
}
