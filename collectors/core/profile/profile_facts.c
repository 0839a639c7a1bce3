/* The part of the profile container's header that no table holds: library, hosts, settings, gaps.
 * See FORMAT.md. */
#define _GNU_SOURCE
#include "profile.h"
#include "operations.h"
#include "unsplit_waits.h"
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

static void write_node(struct text *text, const struct merged *merged,
                       const struct profile_nodes *node)
{
    char *facts = strdup(merged_text(merged, node->facts)), *rest = NULL;
    text_add(text, "%s{\"name\":", text_separator(text));
    text_add_json(text, merged_text(merged, node->name));
    text_add(text, ",\"facts\":{");
    for (char *line = facts ? strtok_r(facts, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        write_fact(text, line);
    text_add(text, "}}");
    free(facts);
}

/* By index: `ranks.node` counts them in this order. */
static void write_nodes(struct text *text, const struct merged *merged)
{
    const struct profile_nodes *nodes = merged->tables[TABLE_NODES].rows;
    text_add(text, ",\"nodes\":[");
    for (size_t i = 0; i < merged->tables[TABLE_NODES].count; i++)
        write_node(text, merged, &nodes[i]);
    text_add(text, "]");
}

static void write_settings(struct text *text, const struct merged *merged, int ranks)
{
    const struct profile_settings *settings = merged->tables[TABLE_SETTINGS].rows;
    text_add(text, ",\"settings\":[");
    for (size_t i = 0; i < merged->tables[TABLE_SETTINGS].count; i++) {
        text_add(text, "%s{\"name\":", text_separator(text));
        text_add_json(text, merged_text(merged, settings[i].name));
        text_add(text, ",\"value\":");
        text_add_json(text, merged_text(merged, settings[i].value));
        text_add(text, ",\"source\":");
        text_add_json(text, merged_text(merged, settings[i].source));
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

static int has_spawned(const struct merged *merged)
{
    const struct profile_calls *calls = merged->tables[TABLE_CALLS].rows;
    for (size_t i = 0; i < merged->tables[TABLE_CALLS].count; i++)
        if (!strncmp(operation_names[calls[i].operation], "Comm_spawn", 10))
            return 1;
    return 0;
}

/* Programs that ranks started by themselves are not ranks of this job. */
static void write_children(struct text *text, const struct merged *merged)
{
    const struct profile_ranks *ranks = merged->tables[TABLE_RANKS].rows;
    uint64_t children = 0;
    char reason[160];
    for (size_t i = 0; i < merged->tables[TABLE_RANKS].count; i++)
        children += ranks[i].children;
    snprintf(reason, sizeof reason,
             "%llu MPI process%s that ranks started by themselves ran without being measured",
             (unsigned long long)children, children == 1 ? "" : "es");
    if (children)
        write_gap(text, "children", reason, "a run of that program by itself");
    if (has_spawned(merged))
        write_gap(text, "children",
                  "processes started by MPI_Comm_spawn ran without being measured", "");
}

void profile_write_facts(struct text *text, const struct merged *merged,
                         const struct profile_facts *facts)
{
    text_add(text, "{\"format\":\"advisor-profile\",\"version\":[1,0],");
    if (facts->run)
        text_add(text, "\"run\":%s,", facts->run);
    text_add(text, "\"library\":{\"text\":");
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
    write_nodes(text, merged);
    write_settings(text, merged, facts->ranks);
    text_add(text, ",\"gaps\":[");
    if (merged->aggregated)
        write_gap(text, "ranks",
                  "There are too many ranks to keep the calls of each: kept are those of the "
                  "extreme ranks and of some others, of the rest "
                  "sums and how ranks spread",
                  "");
    if (merged->overflowed_communicators)
        write_gap(text, "communicators",
                  "More communicators were made than the tables hold; the later ones are counted "
                  "together",
                  "");
    if (*facts->gap)
        write_gap(text, "ranks", facts->gap, "");
    write_missing_counters(text, facts->missing_counters);
    unsplit_waits_gaps(text, merged);
    if (!merged->tables[TABLE_VARIABLES].count)
        write_gap(text, "variables",
                  "The MPI library exports none of the performance variables that are read, or it "
                  "is Open MPI, whose variables are read "
                  "only if counters are asked for: it opens all its components once more for them",
                  "Open MPI: run again with advisor run --counters; MPICH: built with "
                  "--enable-mpit-pvars=recvq");
    write_children(text, merged);
    text_add(text, "]");
}
