/* The part of the profile container's header that no table holds: library, hosts, settings, gaps.
 * See FORMAT.md. */
#define _GNU_SOURCE
#include "profile_writer.h"
#include "operations.h"
#include "unsampled.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_fact(struct text *text, char *line)
{
    char *value = strchr(line, '\t'), *source = value ? strchr(value + 1, '\t') : NULL;
    if (!source)
        return;
    *value++ = 0;
    *source++ = 0;
    char *end;
    strtod(value, &end);
    int bare = (end != value && !*end && strspn(value, "0123456789.-") == strlen(value) &&
                value[0] != '.' && !(value[0] == '0' && value[1] >= '0' && value[1] <= '9')) ||
               !strcmp(value, "true") || !strcmp(value, "false");
    text_add(text, "%s", text_separator(text));
    text_add_json(text, line);
    text_add(text, bare ? ":[%s," : ":[", value);
    if (!bare) {
        text_add_json(text, value);
        text_add(text, ",");
    }
    text_add_json(text, source);
    text_add(text, "]");
}

static void write_node(struct writer *writer, const struct pile_node *node)
{
    struct text *text = &writer->header;
    char *facts = strdup(pile_text(writer->pile, node->facts)), *rest = NULL;
    text_add(text, "%s{\"name\":", text_separator(text));
    text_add_json(text, pile_text(writer->pile, node->name));
    text_add(text, ",\"facts\":{");
    for (char *line = facts ? strtok_r(facts, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        write_fact(text, line);
    text_add(text, "}}");
    free(facts);
}

/* By index: `ranks.node` counts them in this order. */
static void write_nodes(struct writer *writer)
{
    const struct pile_node *nodes = writer->pile->nodes.rows;
    text_add(&writer->header, ",\"nodes\":[");
    for (size_t i = 0; i < writer->pile->nodes.count; i++)
        write_node(writer, &nodes[i]);
    text_add(&writer->header, "]");
}

static void write_settings(struct writer *writer, int ranks)
{
    struct text *text = &writer->header;
    const struct pile_setting *settings = writer->pile->settings.rows;
    text_add(text, ",\"settings\":[");
    for (size_t i = 0; i < writer->pile->settings.count; i++) {
        text_add(text, "%s{\"name\":", text_separator(text));
        text_add_json(text, pile_text(writer->pile, settings[i].name));
        text_add(text, ",\"value\":");
        text_add_json(text, pile_text(writer->pile, settings[i].value));
        text_add(text, ",\"source\":");
        text_add_json(text, pile_text(writer->pile, settings[i].source));
        text_add(text, settings[i].ranks < (uint64_t)ranks ? ",\"differs\":true}" : "}");
    }
    text_add(text, "]");
}

static void write_gap(struct text *text, const char *subject, const char *reason,
                      const char *collect)
{
    text_add(text, "%s{\"subject\":\"%s\",\"reason\":\"%s\",\"collect\":\"%s\"}",
             text_separator(text), subject, reason, collect);
}

/* Lines name, reason, what would help, parted by tabs. */
static void write_missing_counters(struct text *text, const char *missing)
{
    char line[512], subject[64];
    for (; missing && *missing; missing += strcspn(missing, "\n"), missing += *missing == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(missing, "\n"), missing);
        char *reason = strchr(line, '\t'), *collect = reason ? strchr(reason + 1, '\t') : NULL;
        if (!collect)
            continue;
        *reason++ = *collect++ = 0;
        snprintf(subject, sizeof subject, "counters.%.48s", line);
        write_gap(text, subject, reason, collect);
    }
}

static int has_spawned(const struct pile *pile)
{
    const struct pile_row *rows = pile->rows.rows;
    for (size_t i = 0; i < pile->rows.count; i++)
        if (rows[i].table == PILE_CALLS &&
            !strncmp(operation_names[rows[i].first & 0xFFFF], "Comm_spawn", 10))
            return 1;
    return 0;
}

/* Programs that ranks started by themselves are not ranks of this job. */
static void write_children(struct writer *writer)
{
    const struct pile_rank *ranks = writer->pile->ranks.rows;
    uint64_t children = 0;
    char reason[160];
    for (size_t i = 0; i < writer->pile->ranks.count; i++)
        children += ranks[i].values.children;
    snprintf(reason, sizeof reason,
             "%llu MPI process%s that ranks started by themselves ran without being measured",
             (unsigned long long)children, children == 1 ? "" : "es");
    if (children)
        write_gap(&writer->header, "children", reason, "a run of that program by itself");
    if (has_spawned(writer->pile))
        write_gap(&writer->header, "children",
                  "processes started by MPI_Comm_spawn ran without being measured", "");
}

void profile_write_facts(struct writer *writer, const struct profile_facts *facts)
{
    struct text *text = &writer->header;
    text_add(text, "{\"format\":\"advisor-profile\",\"version\":[2,0],\"library\":{\"text\":");
    text_add_json(text, facts->library_text);
    text_add(text, ",\"path\":");
    text_add_json(text, facts->library_path);
    text_add(text, ",\"standard\":");
    text_add_json(text, facts->standard);
    text_add(text, ",\"facts\":{");
    if (*facts->device) {
        text_add(text, "\"device\":[");
        text_add_json(text, facts->device);
        text_add(text, ",\"MPI_Get_library_version\"]");
    }
    if (*facts->transport) {
        text_add(text, *facts->device ? ",\"transport\":[" : "\"transport\":[");
        text_add_json(text, facts->transport);
        text_add(text, ",\"objects of the library, and what rank 0 held open at the end\"]");
    }
    text_add(text, "}}");
    write_nodes(writer);
    write_settings(writer, facts->ranks);
    text_add(text, ",\"gaps\":[");
    if (writer->pile->folded)
        write_gap(text, "ranks",
                  "There are too many ranks to keep the calls of each: kept are those of the "
                  "extreme ranks and of some others, of the rest "
                  "sums and how ranks spread",
                  "");
    if (writer->pile->folded_communicators)
        write_gap(text, "communicators",
                  "More communicators were made than the tables hold; the later ones are counted "
                  "together",
                  "");
    if (*facts->gap)
        write_gap(text, "ranks", facts->gap, "");
    write_missing_counters(text, facts->missing_counters);
    unsampled_gaps(text, writer->pile);
    if (!writer->pile->variables.count)
        write_gap(text, "variables",
                  "The MPI library exports none of the performance variables that are read, or it "
                  "is Open MPI, whose variables are read "
                  "only if counters are asked for: it opens all its components once more for them",
                  "Open MPI: run again with advisor run --counters; MPICH: built with "
                  "--enable-mpit-pvars=recvq");
    write_children(writer);
    text_add(text, "]");
}
