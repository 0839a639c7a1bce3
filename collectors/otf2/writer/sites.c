/* Call sites: a return address of a rank, its file of code, and what is known of that place.
 *
 * What is known comes as lines of a file: path of the code, offset, line, function and source, with
 * tabs between them. */
#define _GNU_SOURCE
#include "writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t site_path(struct writer *writer, const char *path)
{
    for (uint32_t i = 0; i < writer->path_count; i++)
        if (!strcmp(writer->paths[i], path))
            return i;
    writer->paths = xrealloc(writer->paths, writer->path_count + 1, sizeof *writer->paths);
    writer->paths[writer->path_count] = strdup(path);
    return writer->path_count++;
}

static int compare(const void *left, const void *right)
{
    const struct site *a = left, *b = right;
    return a->path != b->path ? (a->path > b->path) - (a->path < b->path)
                              : (a->offset > b->offset) - (a->offset < b->offset);
}

static void take(struct writer *writer, char *line)
{
    char *words[5];
    for (int i = 0; i < 5; i++)
        if (!(words[i] = strsep(&line, i < 4 ? "\t" : "\n")))
            return;
    if (!(writer->site_count & (writer->site_count - 1)))
        writer->sites = xrealloc(writer->sites, 2 * writer->site_count + 1, sizeof *writer->sites);
    writer->sites[writer->site_count++] =
        (struct site){ strtoull(words[1], NULL, 10), site_path(writer, words[0]),
                       (uint32_t)strtoul(words[2], NULL, 10), strdup(words[3]), strdup(words[4]) };
}

void sites_read(struct writer *writer, const char *path)
{
    FILE *from = *path ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    while (from && getline(&line, &room, from) > 0)
        take(writer, line);
    free(line);
    if (from)
        fclose(from);
    if (writer->site_count)
        qsort(writer->sites, writer->site_count, sizeof *writer->sites, compare);
}

uint32_t site_at(const struct writer *writer, struct source *source, uint64_t address)
{
    for (uint32_t tried = 0; tried < source->module_count && writer->site_count; tried++) {
        const struct module *module = &source->modules[source->module];
        if (address - module->from < module->to - module->from) {
            const struct site wanted = { .offset = address - module->base, .path = module->path };
            const struct site *found =
                bsearch(&wanted, writer->sites, writer->site_count, sizeof wanted, compare);
            return found ? (uint32_t)(found - writer->sites) : NONE;
        }
        source->module = (source->module + 1) % source->module_count;
    }
    return NONE;
}

/* Their strings come first of all, so that events, which are written before, can name them:
 * definitions.c. */
void sites_define(OTF2_GlobalDefWriter *to, const struct writer *writer, uint32_t *strings)
{
    *strings = FIRST_SITE_STRING;
    for (uint32_t i = 0; i < writer->site_count; i++) {
        check(OTF2_GlobalDefWriter_WriteString(to, (*strings)++, writer->sites[i].function));
        check(OTF2_GlobalDefWriter_WriteString(to, (*strings)++, writer->sites[i].file));
        check(OTF2_GlobalDefWriter_WriteSourceCodeLocation(to, i, *strings - 1,
                                                           writer->sites[i].line));
    }
}
