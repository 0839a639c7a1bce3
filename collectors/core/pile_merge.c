/* Putting piles together, and sending them. */
#include "pile.h"
#include "operations.h"
#include <stdlib.h>
#include <string.h>

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_rows(const void *left, const void *right)
{
    const struct pile_row *a = left, *b = right;
    int order = a->table - b->table;
    if (!order) order = (a->rank > b->rank) - (a->rank < b->rank);
    if (!order) order = compare(a->first, b->first);
    if (!order) order = compare(a->second, b->second);
    return order ? order : compare(a->third, b->third);
}

static void tidy_rows(struct pile *pile)
{
    struct pile_row *rows = pile->rows.rows;
    size_t kept = 0;
    for (size_t i = 0; pile->fold && i < pile->rows.count; i++) {
        rows[i].rank = -1;
        if (rows[i].table == PILE_PEERS)
            rows[i].first = (uint32_t)-1;
    }
    if (pile->rows.count)
        qsort(rows, pile->rows.count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < pile->rows.count; i++) {
        if (!kept || compare_rows(&rows[kept - 1], &rows[i])) {
            rows[kept++] = rows[i];
            continue;
        }
        struct pile_row *sum = &rows[kept - 1];
        sum->count += rows[i].count;
        sum->bytes += rows[i].bytes;
        sum->time += rows[i].time;
        sum->shortest = rows[i].shortest < sum->shortest ? rows[i].shortest : sum->shortest;
        sum->longest = rows[i].longest > sum->longest ? rows[i].longest : sum->longest;
    }
    pile->rows.count = kept;
}

static int compare_communicators(const void *left, const void *right)
{
    const struct pile_communicator *a = left, *b = right;
    int order = compare(a->id, b->id);
    return order ? order : (int)b->first - (int)a->first;
}

/* What the first member says comes first; a name or a free that only others saw is added. */
static void tidy_communicators(struct pile *pile)
{
    struct pile_communicator *rows = pile->communicators.rows;
    const uint64_t none = pile_add_text(pile, "");
    size_t kept = 0;
    if (pile->communicators.count)
        qsort(rows, pile->communicators.count, sizeof *rows, compare_communicators);
    for (size_t i = 0; i < pile->communicators.count; i++) {
        if (!kept || rows[kept - 1].id != rows[i].id) {
            rows[kept++] = rows[i];
            continue;
        }
        rows[kept - 1].freed |= rows[i].freed;
        if (rows[kept - 1].name == none)
            rows[kept - 1].name = rows[i].name;
    }
    pile->communicators.count = kept;
}

static int compare_settings(const void *left, const void *right)
{
    const struct pile_setting *a = left, *b = right;
    int order = compare(a->name, b->name);
    if (!order) order = compare(a->value, b->value);
    return order ? order : compare(a->source, b->source);
}

static void tidy_settings(struct pile *pile)
{
    struct pile_setting *rows = pile->settings.rows;
    size_t kept = 0;
    if (pile->settings.count)
        qsort(rows, pile->settings.count, sizeof *rows, compare_settings);
    for (size_t i = 0; i < pile->settings.count; i++)
        if (kept && !compare_settings(&rows[kept - 1], &rows[i]))
            rows[kept - 1].ranks += rows[i].ranks;
        else
            rows[kept++] = rows[i];
    pile->settings.count = kept;
}

static int compare_waits(const void *left, const void *right)
{
    const struct pile_wait *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    if (!order) order = compare(a->key, b->key);
    return order ? order : compare(a->communicator, b->communicator);
}

static void tidy_waits(struct pile *pile)
{
    struct pile_wait *rows = pile->waits.rows;
    size_t kept = 0;
    for (size_t i = 0; i < pile->waits.count; i++) {
        rows[i].key &= 0xFFFFFFFFu;   /* the row of a communicator is another on each rank */
        rows[i].rank = pile->fold ? -1 : rows[i].rank;
    }
    if (pile->waits.count)
        qsort(rows, pile->waits.count, sizeof *rows, compare_waits);
    for (size_t i = 0; i < pile->waits.count; i++) {
        if (!kept || compare_waits(&rows[kept - 1], &rows[i])) {
            rows[kept++] = rows[i];
            continue;
        }
        struct pile_wait *sum = &rows[kept - 1];
        sum->calls += rows[i].calls;
        sum->sampled += rows[i].sampled;
        sum->time += rows[i].time;
        sum->duration += rows[i].duration;
        sum->wait += rows[i].wait;
        sum->unresolved += rows[i].unresolved;
        sum->wait_wait += rows[i].wait_wait;
        sum->wait_duration += rows[i].wait_duration;
        sum->duration_duration += rows[i].duration_duration;
    }
    pile->waits.count = kept;
}

static int compare_late(const void *left, const void *right)
{
    const struct pile_late *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    return order ? order : compare(a->class, b->class);
}

static void tidy_late(struct pile *pile)
{
    struct pile_late *rows = pile->late.rows;
    size_t kept = 0;
    if (pile->late.count)
        qsort(rows, pile->late.count, sizeof *rows, compare_late);
    for (size_t i = 0; i < pile->late.count; i++) {
        if (!kept || compare_late(&rows[kept - 1], &rows[i])) {
            rows[kept++] = rows[i];
            continue;
        }
        rows[kept - 1].instances += rows[i].instances;
        rows[kept - 1].last += rows[i].last;
        rows[kept - 1].caused += rows[i].caused;
    }
    pile->late.count = kept;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct pile_rank *a = left, *b = right;
    return (a->values.rank > b->values.rank) - (a->values.rank < b->values.rank);
}

void pile_tidy(struct pile *pile)
{
    tidy_rows(pile);
    tidy_communicators(pile);
    tidy_settings(pile);
    tidy_waits(pile);
    tidy_late(pile);
    if (pile->ranks.count)
        qsort(pile->ranks.rows, pile->ranks.count, sizeof(struct pile_rank), compare_ranks);
}

struct parcel { uint64_t build, rows, ranks, communicators, nodes, settings, waits, late, texts, folded_communicators; };

static uint64_t build_mark(void)
{
    uint64_t mark = 0xcbf29ce484222325ull;
    for (const char *at = collector_build; *at; at++)
        mark = (mark ^ (unsigned char)*at) * 0x100000001b3ull;
    return mark;
}

static size_t text_bytes(const struct pile *pile)
{
    const struct pile_text *texts = pile->texts.rows;
    size_t bytes = 0;
    for (size_t i = 0; i < pile->texts.count; i++)
        bytes += strlen(texts[i].value) + 1;
    return bytes;
}

static char *put(char *at, const struct heap *heap, size_t size)
{
    if (heap->count)
        memcpy(at, heap->rows, heap->count * size);
    return at + heap->count * size;
}

char *pile_pack(const struct pile *pile, size_t *size)
{
    struct parcel parcel = { build_mark(), pile->rows.count, pile->ranks.count, pile->communicators.count,
        pile->nodes.count, pile->settings.count, pile->waits.count, pile->late.count, pile->texts.count, pile->folded_communicators };
    *size = sizeof parcel + pile->rows.count * sizeof(struct pile_row) + pile->ranks.count * sizeof(struct pile_rank)
        + pile->communicators.count * sizeof(struct pile_communicator) + pile->nodes.count * sizeof(struct pile_node)
        + pile->settings.count * sizeof(struct pile_setting) + pile->waits.count * sizeof(struct pile_wait)
        + pile->late.count * sizeof(struct pile_late) + text_bytes(pile);
    char *bytes = pile->failed ? NULL : malloc(*size), *at = bytes;
    if (!bytes)
        return NULL;
    at = (char *)memcpy(at, &parcel, sizeof parcel) + sizeof parcel;
    at = put(at, &pile->rows, sizeof(struct pile_row));
    at = put(at, &pile->ranks, sizeof(struct pile_rank));
    at = put(at, &pile->communicators, sizeof(struct pile_communicator));
    at = put(at, &pile->nodes, sizeof(struct pile_node));
    at = put(at, &pile->settings, sizeof(struct pile_setting));
    at = put(at, &pile->waits, sizeof(struct pile_wait));
    at = put(at, &pile->late, sizeof(struct pile_late));
    for (size_t i = 0; i < pile->texts.count; i++) {
        const char *value = ((struct pile_text *)pile->texts.rows)[i].value;
        at = (char *)memcpy(at, value, strlen(value) + 1) + strlen(value) + 1;
    }
    return bytes;
}

static const char *take(struct pile *pile, struct heap *heap, size_t size, const char *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        heap_add(pile, heap, size, at + i * size);
    return at + count * size;
}

int pile_unpack(struct pile *pile, const char *bytes, size_t size)
{
    struct parcel parcel;
    if (size < sizeof parcel)
        return 0;
    memcpy(&parcel, bytes, sizeof parcel);
    if (parcel.build != build_mark())
        return 0;
    const char *at = bytes + sizeof parcel;
    at = take(pile, &pile->rows, sizeof(struct pile_row), at, parcel.rows);
    at = take(pile, &pile->ranks, sizeof(struct pile_rank), at, parcel.ranks);
    at = take(pile, &pile->communicators, sizeof(struct pile_communicator), at, parcel.communicators);
    at = take(pile, &pile->nodes, sizeof(struct pile_node), at, parcel.nodes);
    at = take(pile, &pile->settings, sizeof(struct pile_setting), at, parcel.settings);
    at = take(pile, &pile->waits, sizeof(struct pile_wait), at, parcel.waits);
    at = take(pile, &pile->late, sizeof(struct pile_late), at, parcel.late);
    for (size_t i = 0; i < parcel.texts; i++, at += strlen(at) + 1)
        pile_add_text(pile, at);
    pile->folded_communicators += parcel.folded_communicators;
    return !pile->failed;
}

void pile_free(struct pile *pile)
{
    struct pile_text *texts = pile->texts.rows;
    for (size_t i = 0; i < pile->texts.count; i++)
        free(texts[i].value);
    struct heap *heaps[] = { &pile->rows, &pile->ranks, &pile->communicators, &pile->nodes, &pile->settings, &pile->waits, &pile->late, &pile->texts };
    for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++)
        free(heaps[i]->rows);
    memset(pile, 0, sizeof *pile);
}
