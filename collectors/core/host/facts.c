/* Cheap reads only: this runs in the first rank of each host while the others wait. */
#define _GNU_SOURCE
#include "facts.h"
#include "fact_buffer.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Value after "name :" in /proc/cpuinfo-like text. */
static int field(const char *text, const char *name, char *value, size_t size)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *colon = strncmp(line, name, length) ? NULL : strchr(line, ':');
        const char *end = strchr(line, '\n');
        if (!colon || (end && colon > end))
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        return 1;
    }
    return 0;
}

/* Only the first processor's page: reading all of /proc/cpuinfo interrupts every core. */
static void processor(struct fact_buffer *buffer)
{
    char text[4096], value[512];
    const char *path = "/proc/cpuinfo";
    if (!whole_file(buffer, path, text, sizeof text))
        return;
    if (field(text, "model name", value, sizeof value))
        put(buffer, "cpu.model", value, path);
    if (field(text, "vendor_id", value, sizeof value))
        put(buffer, "cpu.vendor", value, path);
    if (field(text, "flags", value, sizeof value) && strstr(text, "flags"))
        put_truth(buffer, "virtual", strstr(text, " hypervisor") != NULL, path);
}

/* Numbers of a list such as 0-3,8. */
static unsigned list_length(const char *list)
{
    unsigned count = 0;
    while (*list) {
        char *end;
        long from = strtol(list, &end, 10), to = from;
        if (end == list)
            break;
        if (*end == '-')
            to = strtol(end + 1, &end, 10);
        count += (unsigned)(to - from + 1);
        list = *end == ',' ? end + 1 : end;
    }
    return count;
}

/* A core is counted at the first of its hardware threads, a socket at the first core of its
 * package. Some virtual machines and Arm firmware give -1 for every package: then sockets are not
 * known. */
static void topology(struct fact_buffer *buffer)
{
    const char *root = "/sys/devices/system/cpu";
    unsigned cores = 0, threads = 0, sockets = 0, unsure = 0;
    unsigned char packages[1024] = { 0 };
    for (int cpu = 0; cpu < 8192; cpu++) {
        char path[128], line[256];
        snprintf(path, sizeof path, "%s/cpu%d/topology/thread_siblings_list", root, cpu);
        if (!first_line(buffer, path, line, sizeof line)) {
            snprintf(path, sizeof path, "%s/cpu%d", root, cpu);
            if (!is_there(buffer, path))
                break;
            continue;
        }
        threads++;
        cores += atoi(line) == cpu;
        snprintf(path, sizeof path, "%s/cpu%d/topology/physical_package_id", root, cpu);
        int package = first_line(buffer, path, line, sizeof line) ? atoi(line) : -1;
        if (package < 0 || package >= 1024) {
            unsure = 1;
        } else if (!packages[package]) {
            packages[package] = 1;
            sockets++;
        }
    }
    if (!threads)
        return;
    put_number(buffer, "cores", cores, root);
    if (!unsure)
        put_number(buffer, "sockets", sockets, root);
    put_truth(buffer, "smt", threads > cores, root);
}

static void processors_usable(struct fact_buffer *buffer)
{
    char line[512];
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online > 0)
        put_number(buffer, "cpus", (unsigned long long)online, "sysconf");
    if (first_line(buffer, "/sys/devices/system/node/online", line, sizeof line))
        put_number(buffer, "numa_nodes", list_length(line), "/sys/devices/system/node/online");
}

/* Pools of reserved huge pages: 2048kB:12/64 is 12 of 64 free. Empty: nothing is reserved. */
static void huge_pages(struct fact_buffer *buffer)
{
    const char *root = "/sys/kernel/mm/hugepages";
    char list[256] = "", path[400], total[64], unused[64];
    size_t length = 0;
    struct dirent *entry;
    DIR *folder = open_folder(buffer, root);
    if (!folder)
        return;
    while ((entry = readdir(folder))) {
        snprintf(path, sizeof path, "%s/%.200s/nr_hugepages", root, entry->d_name);
        if (strncmp(entry->d_name, "hugepages-", 10) ||
            !first_line(buffer, path, total, sizeof total) || !atoi(total))
            continue;
        snprintf(path, sizeof path, "%s/%.200s/free_hugepages", root, entry->d_name);
        const char *left = first_line(buffer, path, unused, sizeof unused) ? unused : "?";
        int more = snprintf(list + length, sizeof list - length, "%s%.40s:%s/%s", length ? "," : "",
                            entry->d_name + 10, left, total);
        length += more > 0 && (size_t)more < sizeof list - length ? (size_t)more : 0;
    }
    closedir(folder);
    put(buffer, "hugepages", list, root);
}

/* The chosen word of: always [madvise] never. */
static void transparent_huge_pages(struct fact_buffer *buffer)
{
    char line[256];
    const char *path = "/sys/kernel/mm/transparent_hugepage/enabled";
    char *open = first_line(buffer, path, line, sizeof line) ? strchr(line, '[') : NULL,
         *close = open ? strchr(open, ']') : NULL;
    if (!close)
        return;
    *close = 0;
    put(buffer, "thp", open + 1, path);
}

static void memory(struct fact_buffer *buffer)
{
    char line[256];
    struct rlimit limit;
    struct statvfs shm;
    unsigned long long kilobytes;
    if (first_line(buffer, "/proc/meminfo", line, sizeof line) &&
        sscanf(line, "MemTotal: %llu", &kilobytes) == 1)
        put_number(buffer, "memory", kilobytes * 1024, "/proc/meminfo");
    if (!getrlimit(RLIMIT_MEMLOCK, &limit)) {
        snprintf(line, sizeof line, "%lld",
                 limit.rlim_cur == RLIM_INFINITY ? -1LL : (long long)limit.rlim_cur);
        put(buffer, "memlock", line, "getrlimit");
    }
    if (!statvfs("/dev/shm", &shm)) {
        put_number(buffer, "shm_free", (unsigned long long)shm.f_bavail * shm.f_frsize,
                   "statvfs /dev/shm");
        put_number(buffer, "shm_size", (unsigned long long)shm.f_blocks * shm.f_frsize,
                   "statvfs /dev/shm");
    }
    transparent_huge_pages(buffer);
    huge_pages(buffer);
}

static void kernel(struct fact_buffer *buffer)
{
    char line[64];
    put_line(buffer, "kernel", "/proc/sys/kernel/osrelease");
    put_line(buffer, "clocksource",
             "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (first_line(buffer, "/proc/loadavg", line, sizeof line)) {
        line[strcspn(line, " ")] = 0;
        put(buffer, "loadavg", line, "/proc/loadavg");
    }
}

void facts_below(const char *root, char *facts, size_t size)
{
    struct fact_buffer buffer = { facts, size, root };
    processor(&buffer);
    processors_usable(&buffer);
    topology(&buffer);
    cpu_groups(&buffer);
    memory(&buffer);
    limits(&buffer);
    kernel(&buffer);
    devices(&buffer);
    gpu_domains(&buffer);
    networks(&buffer);
}

void facts_of_node(char *facts, size_t size)
{
    facts_below("", facts, size);
}

void facts_add(char *facts, size_t size, const char *key, const char *value, const char *source)
{
    struct fact_buffer buffer = { facts, size, "" };
    put(&buffer, key, value, source);
}
