/* Which logical CPUs share a memory domain, or a third-level cache. */
#include "fact_buffer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPU_LIMIT = 8192, LIST_SIZE = 1024 };

/* Appends a list such as 0-3,8 behind a semicolon; 0 if there is no room left. */
static int append(char *groups, const char *list)
{
    size_t length = strlen(groups);
    if (length + strlen(list) + 2 > LIST_SIZE)
        return 0;
    snprintf(groups + length, LIST_SIZE - length, "%s%s", length ? ";" : "", list);
    return 1;
}

/* Marks the CPUs of a list. */
static void mark(const char *list, unsigned char *seen)
{
    while (*list) {
        char *end;
        long from = strtol(list, &end, 10), to = from;
        if (end == list)
            return;
        if (*end == '-')
            to = strtol(end + 1, &end, 10);
        for (long cpu = from; cpu <= to && cpu >= 0 && cpu < CPU_LIMIT; cpu++)
            seen[cpu] = 1;
        list = *end == ',' ? end + 1 : end;
    }
}

/* One file is read for each cache, not for each CPU: the list in it names the others. */
static void caches(struct fact_buffer *buffer)
{
    char path[128], list[512], groups[LIST_SIZE] = "";
    unsigned char seen[CPU_LIMIT] = { 0 };
    for (int cpu = 0; cpu < CPU_LIMIT; cpu++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d", cpu);
        if (seen[cpu])
            continue;
        if (!is_there(buffer, path))
            break;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list",
                 cpu);
        if (!first_line(buffer, path, list, sizeof list))
            continue; /* switched off, or without such a cache */
        mark(list, seen);
        if (!append(groups, list))
            return;
    }
    if (*groups)
        put(buffer, "l3_cpus", groups, "/sys/devices/system/cpu/cpu*/cache/index3/shared_cpu_list");
}

/* Domains without CPUs, such as those of memory alone, have an empty list. */
static void memory_domains(struct fact_buffer *buffer)
{
    char path[128], list[512], groups[LIST_SIZE] = "";
    for (int domain = 0; domain < 1024; domain++) {
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d", domain);
        if (!is_there(buffer, path)) {
            if (domain > 16)
                break; /* numbers may have gaps, small ones */
            continue;
        }
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", domain);
        if (first_line(buffer, path, list, sizeof list) && *list && !append(groups, list))
            return;
    }
    if (*groups)
        put(buffer, "numa_cpus", groups, "/sys/devices/system/node/node*/cpulist");
}

void cpu_groups(struct fact_buffer *buffer)
{
    memory_domains(buffer);
    caches(buffer);
}
