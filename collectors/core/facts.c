/* Cheap reads only: this runs in the first rank of each host while the others wait. */
#define _GNU_SOURCE
#include "facts.h"
#include "sheet.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
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
static void processor(struct sheet *sheet)
{
    char text[4096], value[512];
    const char *path = "/proc/cpuinfo";
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    if (field(text, "model name", value, sizeof value))
        put(sheet, "cpu.model", value, path);
    if (field(text, "vendor_id", value, sizeof value))
        put(sheet, "cpu.vendor", value, path);
    if (field(text, "flags", value, sizeof value) && strstr(text, "flags"))
        put_truth(sheet, "virtual", strstr(text, " hypervisor") != NULL, path);
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

/* A core is counted at the first of its hardware threads, a socket at the first core of its package. */
static void topology(struct sheet *sheet)
{
    const char *root = "/sys/devices/system/cpu";
    unsigned cores = 0, threads = 0, sockets = 0;
    unsigned char packages[1024] = { 0 };
    for (int cpu = 0; cpu < 8192; cpu++) {
        char path[128], line[256];
        snprintf(path, sizeof path, "%s/cpu%d/topology/thread_siblings_list", root, cpu);
        if (!first_line(path, line, sizeof line)) {
            snprintf(path, sizeof path, "%s/cpu%d", root, cpu);
            if (access(path, F_OK))
                break;
            continue;
        }
        threads++;
        cores += atoi(line) == cpu;
        snprintf(path, sizeof path, "%s/cpu%d/topology/physical_package_id", root, cpu);
        int package = first_line(path, line, sizeof line) ? atoi(line) : 0;
        if (package >= 0 && package < 1024 && !packages[package]) {
            packages[package] = 1;
            sockets++;
        }
    }
    if (!threads)
        return;
    put_number(sheet, "cores", cores, root);
    put_number(sheet, "sockets", sockets, root);
    put_truth(sheet, "smt", threads > cores, root);
}

static void processors_usable(struct sheet *sheet)
{
    char line[512];
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online > 0)
        put_number(sheet, "cpus", (unsigned long long)online, "sysconf");
    if (first_line("/sys/devices/system/node/online", line, sizeof line))
        put_number(sheet, "numa_nodes", list_length(line), "/sys/devices/system/node/online");
    if (first_line("/sys/fs/cgroup/cpu.max", line, sizeof line)) {
        double quota, period;
        if (sscanf(line, "%lf %lf", &quota, &period) == 2 && period > 0) {
            snprintf(line, sizeof line, "%g", quota / period);
            put(sheet, "cgroup_cpus", line, "/sys/fs/cgroup/cpu.max");
        }
    }
}

static void memory(struct sheet *sheet)
{
    char line[256];
    struct rlimit limit;
    struct statvfs shm;
    unsigned long long kilobytes;
    if (first_line("/proc/meminfo", line, sizeof line) && sscanf(line, "MemTotal: %llu", &kilobytes) == 1)
        put_number(sheet, "memory", kilobytes * 1024, "/proc/meminfo");
    if (first_line("/sys/fs/cgroup/memory.max", line, sizeof line) && strcmp(line, "max"))
        put(sheet, "memory_limit", line, "/sys/fs/cgroup/memory.max");
    if (!getrlimit(RLIMIT_MEMLOCK, &limit)) {
        snprintf(line, sizeof line, "%lld", limit.rlim_cur == RLIM_INFINITY ? -1LL : (long long)limit.rlim_cur);
        put(sheet, "memlock", line, "getrlimit");
    }
    if (!statvfs("/dev/shm", &shm))
        put_number(sheet, "shm_free", (unsigned long long)shm.f_bavail * shm.f_frsize, "statvfs /dev/shm");
    put_line(sheet, "thp", "/sys/kernel/mm/transparent_hugepage/enabled");
    put_line(sheet, "hugepages", "/proc/sys/vm/nr_hugepages");
}

static void copying(struct sheet *sheet)
{
    char line[64];
    struct utsname name;
    if (!uname(&name))
        put(sheet, "kernel", name.release, "uname");
    put_truth(sheet, "xpmem", !access("/dev/xpmem", F_OK), "/dev/xpmem");
    put_truth(sheet, "knem", !access("/dev/knem", F_OK), "/dev/knem");
    put_truth(sheet, "limic", !access("/dev/limic", F_OK), "/dev/limic");
    if (access("/proc/sys/kernel/yama/ptrace_scope", F_OK))
        put(sheet, "ptrace_scope", "0", "/proc/sys/kernel/yama/ptrace_scope (0 where there is no such file)");
    else
        put_line(sheet, "ptrace_scope", "/proc/sys/kernel/yama/ptrace_scope");
    put_line(sheet, "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (first_line("/proc/loadavg", line, sizeof line)) {
        line[strcspn(line, " ")] = 0;
        put(sheet, "loadavg", line, "/proc/loadavg");
    }
}

void facts_of_node(char *facts, size_t size)
{
    struct sheet sheet = { facts, size };
    processor(&sheet);
    processors_usable(&sheet);
    topology(&sheet);
    memory(&sheet);
    copying(&sheet);
    devices(&sheet);
}
