#define _GNU_SOURCE
#include "host_load.h"
#include "fact_buffer.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    int is_started, load, processors, quota, first;
    double steal, throttled;
} host = { .load = -1, .processors = -1, .quota = -1 };

static int read_again(int file, char *text, size_t size)
{
    const ssize_t length = file < 0 ? -1 : pread(file, text, size - 1, 0);
    text[length > 0 ? length : 0] = 0;
    return length > 0;
}

/* Seconds, of all processors together: the eighth number of the first line. -1: not told. */
static double steal(void)
{
    char text[512];
    unsigned long long ticks;
    if (!read_again(host.processors, text, sizeof text) ||
        sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
        return -1;
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double throttled(void)
{
    char text[1024];
    const char *name = host.first ? "throttled_time " : "throttled_usec ", *at;
    if (!read_again(host.quota, text, sizeof text) || !(at = strstr(text, name)))
        return -1;
    return strtod(at + strlen(name), NULL) * (host.first ? 1e-9 : 1e-6);
}

/* "4.67 3.98 3.13 6/129 7294": the mean of the last minute, and tasks ready to run at this moment,
 * this one among them. */
static void put_load(struct fact_buffer *buffer, const char *load_key, const char *tasks_key)
{
    char text[128], *slash, *blank;
    if (!read_again(host.load, text, sizeof text) || !(slash = strchr(text, '/')))
        return;
    *slash = 0;
    if ((blank = strrchr(text, ' ')))
        put(buffer, tasks_key, blank + 1, "/proc/loadavg");
    text[strcspn(text, " ")] = 0;
    if (load_key)
        put(buffer, load_key, text, "/proc/loadavg");
}

static void put_since(struct fact_buffer *buffer, const char *key, double before, double now,
                      const char *source)
{
    char value[64];
    if (before < 0 || now < before)
        return;
    snprintf(value, sizeof value, "%.6g", now - before);
    put(buffer, key, value, source);
}

void host_load_start(char *facts, size_t size)
{
    struct fact_buffer buffer = { facts, size, "" };
    if (host.is_started)
        return;
    host.is_started = 1;
    host.load = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    host.processors = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    host.quota = limits_open_throttled(&host.first);
    put_load(&buffer, NULL, "tasks_ready"); /* the load at the start is among the facts already */
    host.steal = steal();
    host.throttled = throttled();
}

void host_load_end(char *facts, size_t size)
{
    struct fact_buffer buffer = { facts, size, "" };
    if (!host.is_started)
        return;
    put_load(&buffer, "loadavg_end", "tasks_ready_end");
    put_since(&buffer, "steal_time", host.steal, steal(), "/proc/stat");
    put_since(&buffer, "throttled_time", host.throttled, throttled(),
              "cpu.stat of the control group");
    for (int i = 0; i < 3; i++)
        close((int[]){ host.load, host.processors, host.quota }[i]);
    host.is_started = 0;
}
