/* Accelerators, and ways to copy between the processes of this host. */
#define _GNU_SOURCE
#include "fact_buffer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Entries of a folder; -1 if it cannot be looked into. */
static int entries(const struct fact_buffer *buffer, const char *path)
{
    int count = 0;
    struct dirent *entry;
    DIR *folder = open_folder(buffer, path);
    if (!folder)
        return -1;
    while ((entry = readdir(folder)))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* A node of AMD's driver without SIMD units is a processor. */
static int amd_units(const struct fact_buffer *buffer)
{
    const char *root = "/sys/class/kfd/kfd/topology/nodes";
    int count = 0;
    struct dirent *entry;
    DIR *folder = open_folder(buffer, root);
    while (folder && (entry = readdir(folder))) {
        char path[400], text[8192];
        snprintf(path, sizeof path, "%s/%.200s/properties", root, entry->d_name);
        const char *units = entry->d_name[0] != '.' && whole_file(buffer, path, text, sizeof text)
                                ? strstr(text, "simd_count ")
                                : NULL;
        count += units && atoi(units + 11) > 0;
    }
    if (folder)
        closedir(folder);
    return count;
}

/* nvidia:4,amd:2; empty if there are none that compute. */
static void accelerators(struct fact_buffer *buffer)
{
    int nvidia = entries(buffer, "/proc/driver/nvidia/gpus"), amd = amd_units(buffer);
    char text[64] = "";
    if (nvidia > 0)
        snprintf(text, sizeof text, "nvidia:%d", nvidia);
    if (amd > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%samd:%d", *text ? "," : "",
                 amd);
    if (is_there(buffer, "/proc/self") || is_there(buffer, "/sys/class"))
        put(buffer, "gpu", text, "/proc/driver/nvidia, /sys/class/kfd");
}

static void put_device(struct fact_buffer *buffer, const char *key, const char *path)
{
    put_truth(buffer, key, is_there(buffer, path), path);
}

/* Reading one's own memory is always allowed unless a filter forbids the call; Yama decides about
 * other processes. This is a guess for ranks that have no other on their host; where one was asked,
 * that has been written already. */
static void cross_memory(struct fact_buffer *buffer)
{
    const char *path = "/proc/sys/kernel/yama/ptrace_scope";
    char from = 1, to = 0, line[64];
    struct iovec local = { &to, 1 }, remote = { &from, 1 };
    int works = *buffer->root || process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
    int scope = first_line(buffer, path, line, sizeof line) ? atoi(line) : 0;
    put_number(buffer, "ptrace_scope", (unsigned)scope,
               "/proc/sys/kernel/yama/ptrace_scope (0 where there is no such file)");
    if (!strstr(buffer->facts, "cma\t"))
        put_truth(buffer, "cma", works && scope == 0,
                  "process_vm_readv of own memory, and /proc/sys/kernel/yama/ptrace_scope");
}

void devices(struct fact_buffer *buffer)
{
    accelerators(buffer);
    if (!is_there(buffer, "/dev"))
        return;
    put_device(buffer, "xpmem", "/dev/xpmem");
    put_device(buffer, "knem", "/dev/knem");
    put_device(buffer, "limic", "/dev/limic");
    if (is_there(buffer, "/dev/xpmem"))
        put_truth(buffer, "xpmem_usable", may_use(buffer, "/dev/xpmem"), "access to /dev/xpmem");
    if (is_there(buffer, "/dev/knem"))
        put_truth(buffer, "knem_usable", may_use(buffer, "/dev/knem"), "access to /dev/knem");
    if (is_there(buffer, "/dev/infiniband"))
        put_truth(buffer, "umad_usable", may_use(buffer, "/dev/infiniband/umad0"),
                  "access to /dev/infiniband/umad0");
    if (is_there(buffer, "/proc/sys/kernel"))
        cross_memory(buffer);
}
