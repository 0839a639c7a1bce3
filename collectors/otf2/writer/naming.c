/* Definitions of the archive. Communicators are combined from what each member recorded. */
#define _GNU_SOURCE
#include "writer.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct numbered meaning_of(const struct numbers *numbers, uint32_t number)
{
    return number < numbers->count ? numbers->rows[number] : (struct numbered){ NONE, 0 };
}

static void mean(struct numbers *numbers, uint16_t number, uint32_t index, int32_t place)
{
    if (number >= numbers->count) {
        const uint32_t count = number + numbers->count / 2 + 1;
        numbers->rows = xrealloc(numbers->rows, count, sizeof *numbers->rows);
        memset(numbers->rows + numbers->count, 0xFF,
               (count - numbers->count) * sizeof *numbers->rows);
        numbers->count = count;
    }
    numbers->rows[number] = (struct numbered){ index, place };
}

static int is_name(const char *name, size_t size)
{
    size_t length = strnlen(name, size);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return 0;
    return length && length < size;
}

static uint32_t operation_of(struct writer *writer, const char *name)
{
    for (uint32_t i = 0; i < writer->operation_count; i++)
        if (!strcmp(writer->operations[i], name))
            return i;
    writer->operations =
        xrealloc(writer->operations, writer->operation_count + 1, sizeof *writer->operations);
    writer->operations[writer->operation_count] = strdup(name);
    return writer->operation_count++;
}

/* Programs have tens of communicators: a search will do. All members tell of the same one, so it is
 * mostly among the last. */
static struct group *group_of(struct writer *writer, uint64_t id, int32_t first, int32_t size)
{
    for (uint32_t i = writer->group_count; i-- > 0;)
        if (writer->groups[i].id == id && writer->groups[i].first == first)
            return &writer->groups[i];
    if (!(writer->group_count & (writer->group_count - 1)))
        writer->groups =
            xrealloc(writer->groups, writer->group_count * 2 + 1, sizeof *writer->groups);
    struct group *group = &writer->groups[writer->group_count++];
    *group =
        (struct group){ id, first, size, 0, xrealloc(NULL, (size_t)size, sizeof *group->members) };
    memset(group->members, 0xFF, (size_t)size * sizeof *group->members);
    return group;
}

static void tell_member(struct group *group, int32_t place, int32_t rank)
{
    group->known += group->members[place] < 0;
    group->members[place] = rank;
}

static uint32_t communicator_index(struct writer *writer,
                                   const struct communicator_definition *made)
{
    const uint32_t flags = made->flags & (IS_WORLD | IS_SELF | IS_INTER);
    for (uint32_t i = writer->communicator_count; i-- > 0;)
        if (writer->communicators[i].id == made->id ||
            (flags & IS_SELF && writer->communicators[i].flags & IS_SELF))
            return i;
    if (!(writer->communicator_count & (writer->communicator_count - 1)))
        writer->communicators = xrealloc(writer->communicators, writer->communicator_count * 2 + 1,
                                         sizeof *writer->communicators);
    struct communicator *communicator = &writer->communicators[writer->communicator_count];
    *communicator =
        (struct communicator){ made->id,        flags,          0, made->size, made->first,
                               made->first_far, made->size_far, "" };
    if (flags & IS_INTER && made->first_far < made->first) {
        communicator->first = made->first_far, communicator->first_far = made->first;
        communicator->size = made->size_far, communicator->size_far = made->size;
    }
    return writer->communicator_count++;
}

static int makes_sense(const struct writer *writer, const struct communicator_definition *made)
{
    const int32_t ranks = writer->ranks;
    const size_t members = made->flags & HAS_MEMBERS ? (size_t)made->size * 4 : 0;
    return made->size >= 1 && made->size <= ranks && made->rank >= 0 && made->rank < made->size &&
           made->first >= 0 && made->first < ranks &&
           (!(made->flags & IS_INTER) || (made->first_far >= 0 && made->first_far < ranks &&
                                          made->size_far >= 1 && made->size_far <= ranks)) &&
           (!(made->flags & IS_WORLD) || made->size == ranks) &&
           sizeof *made + members <= made->head.size;
}

static void take_communicator(struct writer *writer, int32_t rank,
                              const struct communicator_definition *made)
{
    struct source *source = &writer->sources[rank];
    if (!makes_sense(writer, made)) {
        writer->senseless++;
        return;
    }
    mean(&source->communicators, made->head.number, communicator_index(writer, made), made->rank);
    if (made->flags & (IS_WORLD | IS_SELF))
        return;
    struct group *group = group_of(writer, made->id, made->first, made->size);
    const int32_t *members = (const int32_t *)(made + 1);
    for (int32_t i = 0; made->flags & HAS_MEMBERS && i < made->size && i < group->size; i++)
        if (members[i] >= 0 && members[i] < writer->ranks)
            tell_member(group, i, members[i]);
    if (made->rank < group->size)
        tell_member(group, made->rank, rank);
}

static void take_name(struct writer *writer, const struct source *source,
                      const struct name_definition *made)
{
    const uint32_t index = meaning_of(&source->communicators, made->head.number).index;
    if (index != NONE && strnlen(made->name, sizeof made->name) < sizeof made->name &&
        !(writer->communicators[index].flags & (IS_WORLD | IS_SELF)))
        memcpy(writer->communicators[index].name, made->name, sizeof made->name);
}

static void take_window(struct writer *writer, struct source *source,
                        const struct window_definition *made)
{
    const struct numbered meant = meaning_of(&source->communicators, made->communicator);
    const uint32_t communicator = meant.index;
    if (communicator == NONE)
        return;
    /* On MPI_COMM_SELF each rank has windows of its own. */
    uint32_t i = writer->window_count;
    while (i-- > 0)
        if (writer->windows[i].id == made->id && writer->windows[i].communicator == communicator)
            break;
    if (i == NONE) {
        writer->windows =
            xrealloc(writer->windows, writer->window_count + 1, sizeof *writer->windows);
        writer->windows[i = writer->window_count++] = (struct window){ made->id, communicator };
    }
    mean(&source->windows, made->head.number, i, meant.place);
}

static void take_group(struct writer *writer, struct source *source,
                       const struct group_definition *made)
{
    const int32_t *ranks = (const int32_t *)(made + 1);
    int good = made->count >= 0 && made->count <= 2 * writer->ranks + 64 &&
               sizeof *made + (size_t)made->count * 4 <= made->head.size;
    for (int32_t i = 0; good && i < made->count; i++)
        good = ranks[i] >= 0 && ranks[i] < writer->ranks;
    if (!good) {
        writer->senseless++;
        return;
    }
    uint32_t i = 0;
    const size_t size = (size_t)made->count * sizeof *ranks;
    while (i < writer->set_count &&
           (writer->sets[i].count != made->count || memcmp(writer->sets[i].ranks, ranks, size)))
        i++;
    if (i == writer->set_count) {
        writer->sets = xrealloc(writer->sets, ++writer->set_count, sizeof *writer->sets);
        writer->sets[i] =
            (struct set){ made->count,
                          memcpy(xrealloc(NULL, (size_t)made->count, sizeof *ranks), ranks, size) };
    }
    mean(&source->sets, made->head.number, i, 0);
}

static void take_file(struct writer *writer, struct source *source,
                      const struct file_definition *made)
{
    const uint32_t communicator = meaning_of(&source->communicators, made->communicator).index;
    struct file file = { communicator, made->modes, "" };
    if (communicator == NONE || strnlen(made->name, sizeof made->name) == sizeof made->name) {
        writer->senseless++;
        return;
    }
    for (char *to = file.name, *at = (char *)made->name; *at; at++)
        *to++ = (unsigned char)*at < 0x20 || (unsigned char)*at > 0x7E ? '?' : *at;
    uint32_t i = 0;
    while (i < writer->file_count && memcmp(&writer->files[i], &file, sizeof file))
        i++;
    if (i == writer->file_count) {
        writer->files = xrealloc(writer->files, ++writer->file_count, sizeof file);
        writer->files[i] = file;
    }
    mean(&source->files, made->head.number, i, 0);
}

static void take_module(struct writer *writer, struct source *source,
                        const struct module_definition *made)
{
    if (strnlen(made->path, sizeof made->path) == sizeof made->path || made->to < made->from ||
        source->module_count >= 1 << 12) {
        writer->senseless++;
        return;
    }
    source->modules = xrealloc(source->modules, source->module_count + 1, sizeof *source->modules);
    source->modules[source->module_count++] =
        (struct module){ made->base, made->from, made->to, site_path(writer, made->path) };
}

static void take_counter(struct writer *writer, struct source *source,
                         const struct counter_definition *made)
{
    uint32_t i = 0;
    while (i < writer->counter_count && strcmp(writer->counters[i], made->name))
        i++;
    if (i == UINT8_MAX)
        return;
    if (i == writer->counter_count) {
        writer->counters =
            xrealloc(writer->counters, ++writer->counter_count, sizeof *writer->counters);
        writer->counters[i] = strdup(made->name);
    }
    mean(&source->counters, made->head.number, i, 0);
}

static void take(struct writer *writer, int32_t rank, const struct definition_head *head)
{
    struct source *source = &writer->sources[rank];
    const struct operation_definition *operation = (const void *)head;
    if (head->kind == DEFINE_OPERATION && head->size >= sizeof *operation &&
        is_name(operation->name, sizeof operation->name))
        mean(&source->operations, head->number, operation_of(writer, operation->name), 0);
    else if (head->kind == DEFINE_COMMUNICATOR &&
             head->size >= sizeof(struct communicator_definition))
        take_communicator(writer, rank, (const void *)head);
    else if (head->kind == DEFINE_NAME && head->size >= sizeof(struct name_definition))
        take_name(writer, source, (const void *)head);
    else if (head->kind == DEFINE_WINDOW && head->size >= sizeof(struct window_definition))
        take_window(writer, source, (const void *)head);
    else if (head->kind == DEFINE_GROUP && head->size >= sizeof(struct group_definition))
        take_group(writer, source, (const void *)head);
    else if (head->kind == DEFINE_FILE && head->size >= sizeof(struct file_definition))
        take_file(writer, source, (const void *)head);
    else if (head->kind == DEFINE_MODULE && head->size >= sizeof(struct module_definition))
        take_module(writer, source, (const void *)head);
    else if (head->kind == DEFINE_COUNTER && head->size >= sizeof(struct counter_definition) &&
             is_name(((const struct counter_definition *)head)->name, 48))
        take_counter(writer, source, (const void *)head);
    else
        writer->senseless++;
}

void source_define(struct writer *writer, int32_t rank)
{
    struct source *source = &writer->sources[rank];
    if (!source->header)
        return;
    const char *from = (const char *)source->header + TRACE_HEADER_SIZE;
    const uint64_t used = source->header->definitions_used;
    for (uint64_t at = 0; at + sizeof(struct definition_head) <= used;) {
        const struct definition_head *head = (const void *)(from + at);
        if (head->size < sizeof *head || head->size % 8 || head->size > used - at) {
            writer->senseless++;
            return;
        }
        take(writer, rank, head);
        at += head->size;
    }
}

static int is_whole(struct writer *writer, uint64_t id, int32_t first, int32_t size)
{
    const struct group *group = group_of(writer, id, first, size);
    return group->known == size && group->size == size;
}

/* A communicator of which a member is not known cannot be written. */
void names_complete(struct writer *writer)
{
    for (uint32_t i = 0; i < writer->communicator_count; i++) {
        struct communicator *communicator = &writer->communicators[i];
        const int whole =
            communicator->flags & (IS_WORLD | IS_SELF) ||
            (is_whole(writer, communicator->id, communicator->first, communicator->size) &&
             (!(communicator->flags & IS_INTER) ||
              is_whole(writer, communicator->id, communicator->first_far, communicator->size_far)));
        communicator->reference = whole ? i : NONE;
    }
}
