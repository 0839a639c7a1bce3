/* Strings of the profile container follow each other: classes, operations, regions and sites with
 * their files, kinds of windows, communicators, counters. */
#include "profile.h"

static const char *const window_kinds[] = { "create", "allocate", "shared", "dynamic" };
enum { WINDOW_KINDS = sizeof window_kinds / sizeof *window_kinds };

uint32_t operation_string(size_t operation)
{
    return (uint32_t)(CLASSES + operation);
}

uint32_t caller_string(const struct writer *writer, size_t caller)
{
    return (uint32_t)(CLASSES + writer->definitions->operation_count + 2 * caller);
}

uint32_t window_kind_string(const struct writer *writer, size_t kind)
{
    return (uint32_t)(caller_string(writer, writer->definitions->region_count +
                                                writer->definitions->site_count) +
                      kind);
}

uint32_t communicator_string(const struct writer *writer, size_t communicator)
{
    return (uint32_t)(window_kind_string(writer, WINDOW_KINDS) + communicator);
}

uint32_t metric_string(const struct writer *writer, size_t metric)
{
    return (uint32_t)(communicator_string(writer, writer->definitions->communicator_count) +
                      metric);
}

void write_strings(struct writer *writer)
{
    const struct definitions *definitions = writer->definitions;
    struct text *header = &writer->table.header;
    text_add(header, "},\"strings\":[");
#define STRING(value)                                   \
    do {                                                \
        text_add(header, "%s", text_separator(header)); \
        text_add_json(header, value);                   \
    } while (0)
    for (unsigned i = 0; i < CLASSES; i++)
        STRING(class_names[i]);
    for (size_t i = 0; i < definitions->operation_count; i++)
        STRING(definitions->operations[i]);
    for (size_t i = 0; i < definitions->region_count; i++) {
        STRING(string_of(definitions, definitions->regions[i].name));
        STRING(string_of(definitions, definitions->regions[i].file));
    }
    for (size_t i = 0; i < definitions->site_count; i++) {
        STRING(definitions->sites[i].function
                   ? string_of(definitions, definitions->sites[i].function - 1)
                   : "");
        STRING(string_of(definitions, definitions->sites[i].file));
    }
    for (unsigned i = 0; i < WINDOW_KINDS; i++)
        STRING(window_kinds[i]);
    for (size_t i = 0; i < definitions->communicator_count; i++)
        STRING(string_of(definitions, definitions->communicators[i].name));
    for (size_t i = 0; i < definitions->metric_count; i++)
        STRING(string_of(definitions, definitions->metrics[i].name));
    text_add(header, "]}");
}
