/* The share of this node that a control group (batch system, container) leaves to the job, and
 * whether this is a container. */
#define _GNU_SOURCE
#include "host_load.h"
#include "fact_buffer.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const mount_point = "/sys/fs/cgroup";

/* A line of /proc/self/cgroup: number:controllers:group. The second version of control groups has
 * number 0 and no names. */
struct membership {
    char mount[128], group[700];
};

static int has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, word, length) && (at[length] == ',' || !at[length]))
            return 1;
    return 0;
}

static int find_membership(const struct fact_buffer *buffer, const char *controller,
                           struct membership *found)
{
    char text[8192], *rest = NULL;
    int unified = 0;
    whole_file(buffer, "/proc/self/cgroup", text, sizeof text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
        if (!group || group[1] != '/')
            continue;
        *names++ = 0;
        *group++ = 0;
        int named = *names && has_word(names, controller);
        if (!named && (*names || strcmp(line, "0")))
            continue;
        snprintf(found->mount, sizeof found->mount, "%s%s", *names ? "/" : "", names);
        snprintf(found->group, sizeof found->group, "%s", strcmp(group, "/") ? group : "");
        if (named)
            return 1;
        unified = 1;
    }
    return unified;
}

/* Calls `read` for the group and all groups above it, since the tightest limit counts. */
static double tightest(const struct fact_buffer *buffer, struct membership at,
                       double (*read)(const struct fact_buffer *, const char *folder, int first))
{
    double least = -1;
    if (strstr(at.group, "/.."))
        return -1;
    for (;;) {
        char folder[1024];
        snprintf(folder, sizeof folder, "%s%s%s", mount_point, at.mount, at.group);
        double limit = read(buffer, folder, *at.mount != 0);
        if (limit > 0 && (least < 0 || limit < least))
            least = limit;
        char *slash = strrchr(at.group, '/');
        if (!slash)
            return least;
        *slash = 0;
    }
}

/* The first version writes a number close to 2^63 where there is no limit. */
static double memory_limit(const struct fact_buffer *buffer, const char *folder, int first)
{
    char path[1200], line[64];
    snprintf(path, sizeof path, "%s/%s", folder, first ? "memory.limit_in_bytes" : "memory.max");
    double limit = first_line(buffer, path, line, sizeof line) && strcmp(line, "max")
                       ? strtod(line, NULL)
                       : -1;
    return limit < 1e18 ? limit : -1;
}

static double processor_limit(const struct fact_buffer *buffer, const char *folder, int first)
{
    char path[1200], line[64] = "", period[64] = "";
    snprintf(path, sizeof path, "%s/%s", folder, first ? "cpu.cfs_quota_us" : "cpu.max");
    if (!first_line(buffer, path, line, sizeof line) || !strncmp(line, "max", 3))
        return -1;
    char *blank = strchr(line, ' ');
    if (first) {
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
        first_line(buffer, path, period, sizeof period);
    }
    double length = strtod(first ? period : blank ? blank : "", NULL);
    return length > 0 ? strtod(line, NULL) / length : -1;
}

int limits_open_throttled(int *first)
{
    const struct fact_buffer buffer = { NULL, 0, "" };
    struct membership at;
    char folder[1024], path[1200] = "";
    double least = -1;
    *first = 0;
    if (!find_membership(&buffer, "cpu", &at) || strstr(at.group, "/.."))
        return -1;
    *first = *at.mount != 0;
    for (char *slash = at.group;; *slash = 0) {
        snprintf(folder, sizeof folder, "%s%s%s", mount_point, at.mount, at.group);
        const double limit = processor_limit(&buffer, folder, *first);
        if (limit > 0 && (least < 0 || limit < least)) {
            least = limit;
            snprintf(path, sizeof path, "%s/cpu.stat", folder);
        }
        if (!(slash = strrchr(at.group, '/')))
            return *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    }
}

/* By the marks that Docker, Podman and Apptainer leave, or by the control group. */
static int is_contained(const struct fact_buffer *buffer)
{
    static const char *const marks[] = { "/.dockerenv", "/run/.containerenv", "/.singularity.d",
                                         NULL };
    static const char *const words[] = {
        "docker", "kubepods", "libpod", "lxc", "containerd", NULL
    };
    char text[8192];
    for (const char *const *mark = marks; *mark; mark++)
        if (is_there(buffer, *mark))
            return 1;
    whole_file(buffer, "/proc/self/cgroup", text, sizeof text);
    for (const char *const *word = words; *word; word++)
        if (strstr(text, *word))
            return 1;
    return 0;
}

void limits(struct fact_buffer *buffer)
{
    struct membership at;
    char value[64];
    double limit = find_membership(buffer, "memory", &at) ? tightest(buffer, at, memory_limit) : -1;
    if (limit > 0)
        put_number(buffer, "memory_limit", (unsigned long long)limit,
                   "/sys/fs/cgroup: tightest memory limit");
    limit = find_membership(buffer, "cpu", &at) ? tightest(buffer, at, processor_limit) : -1;
    if (limit > 0) {
        snprintf(value, sizeof value, "%g", limit);
        put(buffer, "cgroup_cpus", value, "/sys/fs/cgroup: tightest CPU quota");
    }
    if (is_there(buffer, "/proc/self/cgroup"))
        put_truth(buffer, "container", is_contained(buffer), "marks of container run-times");
    if (first_line(buffer, "/proc/self/uid_map", value, sizeof value))
        put_truth(buffer, "user_namespace", strstr(value, "4294967295") == NULL,
                  "/proc/self/uid_map");
}
