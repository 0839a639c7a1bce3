#define _GNU_SOURCE
#include "placement.h"
#include "clock.h"
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CPU_LIMIT = 8192 };

void placement_host(char *name, size_t size)
{
    if (gethostname(name, size))
        snprintf(name, size, "unknown");
    name[size - 1] = 0;
}

static size_t put_range(char *list, size_t size, size_t length, int from, int to)
{
    const char *comma = length ? "," : "";
    int more = from == to ? snprintf(list + length, size - length, "%s%d", comma, from)
                          : snprintf(list + length, size - length, "%s%d-%d", comma, from, to);
    if (more < 0 || length + (size_t)more >= size) {
        list[length] = 0;
        return length;
    }
    return length + (size_t)more;
}

static void put_mask(const cpu_set_t *mask, size_t bytes, char *list, size_t size)
{
    size_t length = 0;
    for (int cpu = 0; cpu < CPU_LIMIT; cpu++) {
        if (!CPU_ISSET_S(cpu, bytes, mask))
            continue;
        int last = cpu;
        while (last + 1 < CPU_LIMIT && CPU_ISSET_S(last + 1, bytes, mask))
            last++;
        length = put_range(list, size, length, cpu, last);
        cpu = last;
    }
}

uint32_t placement_cpus(char *list, size_t size)
{
    size_t bytes = CPU_ALLOC_SIZE(CPU_LIMIT);
    cpu_set_t *mask = CPU_ALLOC(CPU_LIMIT);
    uint32_t count = 0;
    *list = 0;
    if (mask && !sched_getaffinity(0, bytes, mask)) {
        count = (uint32_t)CPU_COUNT_S(bytes, mask);
        put_mask(mask, bytes, list, size);
    }
    CPU_FREE(mask);
    return count;
}

static int read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    size_t length = fread(text, 1, size - 1, file);
    fclose(file);
    text[length] = 0;
    return length > 0;
}

/* The n-th field of /proc/…/stat after the program name, which may hold spaces: field 3 is n = 0.
 */
static unsigned long long stat_field(const char *text, int n)
{
    const char *at = strrchr(text, ')');
    for (int i = 0; at && i <= n; i++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

double placement_process_begin(void)
{
    char text[1024];
    struct timespec up;
    if (!read_text("/proc/self/stat", text, sizeof text) || clock_gettime(CLOCK_BOOTTIME, &up))
        return 0;
    double since_boot = (double)stat_field(text, 19) / (double)sysconf(_SC_CLK_TCK);
    return clock_epoch() - ((double)up.tv_sec + (double)up.tv_nsec * 1e-9 - since_boot);
}

/* A line of /proc/self/io; kernels without CONFIG_TASK_IO_ACCOUNTING have no such file. */
static uint64_t counted(const char *text, const char *name)
{
    const char *line = strstr(text, name);
    return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

struct usage placement_usage(void)
{
    struct rusage now;
    char text[512];
    getrusage(RUSAGE_SELF, &now);
    if (!read_text("/proc/self/io", text, sizeof text))
        *text = 0;
    return (struct usage){ (double)now.ru_utime.tv_sec + (double)now.ru_utime.tv_usec * 1e-6,
                           (double)now.ru_stime.tv_sec + (double)now.ru_stime.tv_usec * 1e-6,
                           (uint64_t)now.ru_nvcsw,
                           (uint64_t)now.ru_nivcsw,
                           (uint64_t)now.ru_majflt,
                           counted(text, "syscw: "),
                           counted(text, "wchar: "),
                           counted(text, "syscr: "),
                           counted(text, "rchar: ") };
}

/* Seconds that a thread had a core, and seconds that it was ready to run without one: without the
 * first file, which not every kernel has, the clock ticks of the second. */
static double had_core(const char *thread, double *delay)
{
    char path[300], text[1024], *rest;
    *delay = 0;
    snprintf(path, sizeof path, "/proc/self/task/%.200s/schedstat", thread);
    if (read_text(path, text, sizeof text)) {
        const double run = (double)strtoull(text, &rest, 10) * 1e-9;
        *delay = (double)strtoull(rest, NULL, 10) * 1e-9;
        return run;
    }
    snprintf(path, sizeof path, "/proc/self/task/%.200s/stat", thread);
    return read_text(path, text, sizeof text)
               ? (double)(stat_field(text, 11) + stat_field(text, 12)) /
                     (double)sysconf(_SC_CLK_TCK)
               : 0;
}

/* A helper thread of a library must not pass for a worker: threads count by their CPU time, one for
 * the busiest, together rounded to whole ones. Where threads have too few cores they share these
 * alike, so that workers still count alike; with the time that they waited for cores a helper's
 * would be as long as theirs. */
uint32_t placement_busy_threads(double *delay_of_others)
{
    double all = 0, most = 0, delay;
    const long self = syscall(SYS_gettid);
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    *delay_of_others = 0;
    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        const double run = had_core(entry->d_name, &delay);
        all += run;
        most = run > most ? run : most;
        if (atol(entry->d_name) != self)
            *delay_of_others += delay;
    }
    if (folder)
        closedir(folder);
    return most > 0 ? (uint32_t)(all / most + 0.5) : 1;
}

/* Calls `visit` for each thread of this process, with its CPU time. */
static void each_thread(void (*visit)(pid_t thread, double run, void *data), void *data)
{
    double delay;
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            visit((pid_t)atol(entry->d_name), had_core(entry->d_name, &delay), data);
    if (folder)
        closedir(folder);
}

/* A helper that used less than a tenth of the busiest thread's time is no worker: where it may run
 * says nothing of the program. */
struct masks {
    double most;
    size_t bytes;
    cpu_set_t *one, *all;
};

static void take_most(pid_t thread, double run, void *data)
{
    struct masks *masks = data;
    (void)thread;
    masks->most = run > masks->most ? run : masks->most;
}

static void take_mask(pid_t thread, double run, void *data)
{
    struct masks *masks = data;
    if (run * 10 >= masks->most && !sched_getaffinity(thread, masks->bytes, masks->one))
        CPU_OR_S(masks->bytes, masks->all, masks->all, masks->one);
}

void placement_thread_cpus(char *list, size_t size)
{
    struct masks masks = { 0, CPU_ALLOC_SIZE(CPU_LIMIT), CPU_ALLOC(CPU_LIMIT),
                           CPU_ALLOC(CPU_LIMIT) };
    *list = 0;
    if (masks.one && masks.all) {
        CPU_ZERO_S(masks.bytes, masks.all);
        each_thread(take_most, &masks);
        each_thread(take_mask, &masks);
        put_mask(masks.all, masks.bytes, list, size);
    }
    CPU_FREE(masks.one);
    CPU_FREE(masks.all);
}
