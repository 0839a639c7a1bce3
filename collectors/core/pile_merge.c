/* Putting piles together, and sending them. */
#include "pile.h"
#include "folding.h"
#include "operations.h"
#include <stdlib.h>
#include <string.h>

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_rows(const void *left, const void *right)
{
    const struct pile_row *a = left, *b = right;
    int order = a->table - b->table;
    if (!order)
        order = (a->rank > b->rank) - (a->rank < b->rank);
    if (!order)
        order = compare(a->first, b->first);
    if (!order)
        order = compare(a->second, b->second);
    return order ? order : compare(a->third, b->third);
}

static void unite_rows(void *into, const void *from)
{
    struct pile_row *sum = into;
    const struct pile_row *row = from;
    sum->bytes = row->table == PILE_SPREAD ? spread_owners(sum, row) : sum->bytes + row->bytes;
    sum->count += row->count;
    sum->time += row->time;
    sum->shortest = row->shortest < sum->shortest ? row->shortest : sum->shortest;
    sum->longest = row->longest > sum->longest ? row->longest : sum->longest;
}

static int compare_communicators(const void *left, const void *right)
{
    return compare(((const struct pile_communicator *)left)->id,
                   ((const struct pile_communicator *)right)->id);
}

/* What the first member says goes first; a name or a free that only others saw is added. */
static void unite_communicators(void *into, const void *from)
{
    struct pile_communicator *kept = into, other = *(const struct pile_communicator *)from;
    if (other.first && !kept->first) {
        struct pile_communicator first = other;
        other = *kept;
        *kept = first;
    }
    kept->freed |= other.freed;
    if (kept->name == TEXT_EMPTY)
        kept->name = other.name;
}

static int compare_settings(const void *left, const void *right)
{
    const struct pile_setting *a = left, *b = right;
    int order = compare(a->name, b->name);
    if (!order)
        order = compare(a->source, b->source);
    return order ? order : compare(a->value, b->value);
}

static void unite_settings(void *into, const void *from)
{
    ((struct pile_setting *)into)->ranks += ((const struct pile_setting *)from)->ranks;
}

static int compare_waits(const void *left, const void *right)
{
    const struct pile_wait *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    if (!order)
        order = compare(a->key, b->key);
    return order ? order : compare(a->communicator, b->communicator);
}

static void unite_waits(void *into, const void *from)
{
    struct pile_wait *sum = into;
    const struct pile_wait *row = from;
    if (sum->rank < 0) {
        unite_folded_waits(sum, row);
        return;
    }
    sum->calls += row->calls;
    sum->sampled += row->sampled;
    sum->time += row->time;
    sum->duration += row->duration;
    sum->wait += row->wait;
    sum->unresolved += row->unresolved;
    sum->hideable += row->hideable;
    sum->propagated += row->propagated;
    unite_after(sum, row);
    sum->wait_wait += row->wait_wait;
    sum->wait_duration += row->wait_duration;
    sum->duration_duration += row->duration_duration;
}

static int compare_late(const void *left, const void *right)
{
    const struct pile_late *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    return order ? order : compare(a->class, b->class);
}

static void unite_late(void *into, const void *from)
{
    struct pile_late *sum = into;
    const struct pile_late *row = from;
    sum->instances += row->instances;
    sum->last += row->last;
    sum->caused += row->caused;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct pile_rank *a = left, *b = right;
    return (a->values.rank > b->values.rank) - (a->values.rank < b->values.rank);
}

static int compare_nodes(const void *left, const void *right)
{
    const struct pile_node *a = left, *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

static const struct row_kind row_kind = { sizeof(struct pile_row), compare_rows, unite_rows };
static const struct row_kind communicator_kind = { sizeof(struct pile_communicator),
                                                   compare_communicators, unite_communicators };
static const struct row_kind setting_kind = { sizeof(struct pile_setting), compare_settings,
                                              unite_settings };
static const struct row_kind wait_kind = { sizeof(struct pile_wait), compare_waits, unite_waits };
static const struct row_kind node_kind = { sizeof(struct pile_node), compare_nodes, NULL };
static const struct row_kind long_kinds[LONG_TABLES] = {
    { sizeof(struct pile_rank), compare_ranks, NULL },
    { sizeof(struct pile_late), compare_late, unite_late }
};

/* What a pile is sent as: its tidy tables, in this order. */
enum { PACKED = 12 };
static const struct row_kind *const packed_kinds[PACKED] = {
    &row_kind,    &communicator_kind, &setting_kind, &wait_kind,     &node_kind,    &phase_kind,
    &region_kind, &counter_kind,      &stack_kind,   &variable_kind, &overlap_kind, &reference_kind
};

static struct heap *packed_heap(struct pile *pile, int i)
{
    struct heap *const heaps[PACKED] = {
        &pile->rows,   &pile->communicators, &pile->settings, &pile->waits,
        &pile->nodes,  &pile->phases,        &pile->regions,  &pile->counters,
        &pile->stacks, &pile->variables,     &pile->overlaps, &pile->references
    };
    return heaps[i];
}

static struct heap *long_heap(struct pile *pile, enum pile_long table)
{
    return table == LONG_RANKS ? &pile->ranks : &pile->late;
}

/* A variable that each rank has at another value would be in it as often as there are ranks: some
 * values will do. */
static void bound_settings(struct pile *pile)
{
    enum { VALUES = 16 };
    struct pile_setting *rows = pile->settings.rows;
    size_t kept = 0;
    for (size_t i = 0; i < pile->settings.count; i++)
        if (kept < VALUES || rows[kept - VALUES].name != rows[i].name ||
            rows[kept - VALUES].source != rows[i].source)
            rows[kept++] = rows[i];
    pile->settings.count = kept;
}

void pile_tidy(struct pile *pile)
{
    struct pile_wait *waits = pile->waits.rows;
    for (size_t i = 0; i < pile->waits.count; i++)
        waits[i].key &= 0xFFFFFFFFu; /* the row of a communicator is another on each rank */
    phases_same_width(&pile->phases);
    for (int i = 0; i < PACKED; i++)
        heap_tidy(packed_heap(pile, i), packed_kinds[i]);
    for (int i = 0; i < LONG_TABLES; i++)
        heap_tidy(long_heap(pile, i), &long_kinds[i]);
    bound_settings(pile);
}

struct parcel {
    uint64_t build, folded_communicators, unsampled, counts[PACKED], texts;
};

static uint64_t build_mark(void)
{
    uint64_t mark = TEXT_EMPTY;
    for (const char *at = collector_build; *at; at++)
        mark = (mark ^ (unsigned char)*at) * 0x100000001b3ull;
    return mark;
}

static size_t packed_size(struct pile *pile)
{
    const struct pile_text *texts = pile->texts.rows;
    size_t bytes = sizeof(struct parcel);
    for (int i = 0; i < PACKED; i++)
        bytes += packed_heap(pile, i)->count * packed_kinds[i]->size;
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

char *pile_pack(const struct pile *packed, size_t *size)
{
    struct pile pile = *packed;
    struct parcel parcel = {
        build_mark(), pile.folded_communicators, pile.unsampled, { 0 }, pile.texts.count
    };
    const struct pile_text *texts = pile.texts.rows;
    *size = packed_size(&pile);
    char *bytes = pile.failed ? NULL : malloc(*size), *at = bytes;
    if (!bytes)
        return NULL;
    for (int i = 0; i < PACKED; i++)
        parcel.counts[i] = packed_heap(&pile, i)->count;
    at = put(at, &parcel, sizeof parcel);
    for (int i = 0; i < PACKED; i++)
        at = put(at, packed_heap(&pile, i)->rows, parcel.counts[i] * packed_kinds[i]->size);
    for (size_t i = 0; i < pile.texts.count; i++) {
        at = put(at, &texts[i].hash, sizeof texts[i].hash);
        at = put(at, texts[i].value, strlen(texts[i].value) + 1);
    }
    return bytes;
}

/* Rows at the end of a tidy table, and in their places. */
static void take(struct pile *pile, struct heap *heap, const struct row_kind *kind,
                 const void *rows, size_t count)
{
    const size_t first = heap->count;
    void *place = count ? heap_grow(heap, kind->size, count) : NULL;
    if (place)
        memcpy(place, rows, count * kind->size);
    if (kind == &phase_kind && phases_same_width(heap))
        heap_tidy(heap, kind);
    else
        pile->failed |= !heap_join(heap, first, kind);
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
    for (int i = 0; i < PACKED; i++) {
        take(pile, packed_heap(pile, i), packed_kinds[i], at, parcel.counts[i]);
        at += parcel.counts[i] * packed_kinds[i]->size;
    }
    for (size_t i = 0; i < parcel.texts; i++, at += strlen(at) + 1) {
        memcpy(&hash, at, sizeof hash);
        pile_add_hashed(pile, hash, at += sizeof hash);
    }
    bound_settings(pile);
    pile->folded_communicators += parcel.folded_communicators;
    pile->unsampled |= parcel.unsampled;
    return !pile->failed;
}

const void *pile_long_rows(const struct pile *pile, enum pile_long table, size_t *bytes)
{
    const struct heap *heap = table == LONG_RANKS ? &pile->ranks : &pile->late;
    *bytes = heap->count * long_kinds[table].size;
    return heap->rows;
}

void *pile_long_room(struct pile *pile, enum pile_long table, size_t bytes)
{
    void *place = bytes ? heap_grow(long_heap(pile, table), long_kinds[table].size,
                                    bytes / long_kinds[table].size)
                        : NULL;
    pile->failed |= bytes && !place;
    return place;
}

void pile_long_join(struct pile *pile, enum pile_long table, size_t bytes)
{
    struct heap *heap = long_heap(pile, table);
    pile->failed |=
        !heap_join(heap, heap->count - bytes / long_kinds[table].size, &long_kinds[table]);
}

void pile_free(struct pile *pile)
{
    struct pile_text *texts = pile->texts.rows;
    for (size_t i = 0; i < pile->texts.count; i++)
        free(texts[i].value);
    struct heap *heaps[] = { &pile->rows,     &pile->ranks,      &pile->communicators,
                             &pile->nodes,    &pile->settings,   &pile->waits,
                             &pile->late,     &pile->phases,     &pile->regions,
                             &pile->counters, &pile->stacks,     &pile->variables,
                             &pile->overlaps, &pile->references, &pile->texts };
    for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++)
        free(heaps[i]->rows);
    free(pile->text_index);
    memset(pile, 0, sizeof *pile);
}
