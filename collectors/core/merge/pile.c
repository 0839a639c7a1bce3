/* Rows and texts, one by one. */
#define _GNU_SOURCE
#include "pile.h"
#include <stdlib.h>
#include <string.h>

static void *add_row(struct pile *pile, struct row_buffer *buffer, size_t size, const void *row)
{
    void *place = row_buffer_grow(buffer, size, 1);
    if (!place) {
        pile->failed = 1;
        return NULL;
    }
    return memcpy(place, row, size);
}

void *pile_add(struct pile *pile, enum table_number table, const void *row)
{
    return add_row(pile, &pile->tables[table], tables[table].rows.size, row);
}

static uint64_t hash_of(const char *value)
{
    uint64_t hash = TEXT_EMPTY;
    for (; *value; value++)
        hash = (hash ^ (unsigned char)*value) * 0x100000001b3ull;
    return hash;
}

/* The place of a text in the index: its own, or the free one where it belongs. */
static uint32_t *text_place(const struct pile *pile, uint64_t hash)
{
    const struct pile_text *texts = pile->texts.rows;
    size_t slot = (hash ^ hash >> 32) & (pile->text_room - 1);
    while (pile->text_index[slot] && texts[pile->text_index[slot] - 1].hash != hash)
        slot = (slot + 1) & (pile->text_room - 1);
    return &pile->text_index[slot];
}

static int grow_text_index(struct pile *pile)
{
    size_t room = pile->text_room ? 4 * pile->text_room : 256;
    uint32_t *index = calloc(room, sizeof *index);
    if (!index)
        return 0;
    free(pile->text_index);
    pile->text_index = index;
    pile->text_room = room;
    for (size_t i = 0; i < pile->texts.count; i++)
        *text_place(pile, ((struct pile_text *)pile->texts.rows)[i].hash) = (uint32_t)i + 1;
    return 1;
}

const char *pile_text(const struct pile *pile, uint64_t hash)
{
    uint32_t number = pile->text_room ? *text_place(pile, hash) : 0;
    return number ? ((struct pile_text *)pile->texts.rows)[number - 1].value : "";
}

void pile_add_hashed(struct pile *pile, uint64_t hash, const char *value)
{
    struct pile_text text = { hash, NULL };
    if (2 * pile->texts.count >= pile->text_room && !grow_text_index(pile))
        pile->failed = 1;
    uint32_t *place =
        pile->text_room && 2 * pile->texts.count < pile->text_room ? text_place(pile, hash) : NULL;
    if (!place || *place)
        return;
    text.value = strdup(value);
    if (!text.value)
        pile->failed = 1;
    else if (add_row(pile, &pile->texts, sizeof text, &text))
        *place = (uint32_t)pile->texts.count;
}

uint64_t pile_add_text(struct pile *pile, const char *value)
{
    uint64_t hash = hash_of(value);
    pile_add_hashed(pile, hash, value);
    return hash;
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
