/* Networks and accelerators of this host, as the kernel lists them. */
#define _GNU_SOURCE
#include "sheet.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Names and rates of the devices: mlx5_0:1:InfiniBand:100 Gb/sec (4X EDR). */
static void infiniband(struct sheet *sheet)
{
    const char *root = "/sys/class/infiniband";
    char list[1024] = "", line[128], path[700];
    size_t length = 0;
    int roce = 0;
    DIR *folder = opendir(root);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        char layer[64] = "";
        snprintf(path, sizeof path, "%s/%.200s/ports/1/link_layer", root, entry->d_name);
        first_line(path, layer, sizeof layer);
        snprintf(path, sizeof path, "%s/%.200s/ports/1/rate", root, entry->d_name);
        first_line(path, line, sizeof line);
        line[strcspn(line, " ")] = 0;
        int more = snprintf(list + length, sizeof list - length, "%s%.200s:1:%s:%s", length ? " " : "", entry->d_name, layer, line);
        length += more > 0 && (size_t)more < sizeof list - length ? (size_t)more : 0;
        roce |= !strcmp(layer, "Ethernet");
    }
    if (folder)
        closedir(folder);
    put(sheet, "infiniband", list, root);   /* empty: looked, and there is none */
    put_truth(sheet, "roce", roce, root);
}

/* Does the folder hold an entry whose name starts with `prefix`? */
static int holds(const char *path, const char *prefix)
{
    int found = 0;
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && !found && (entry = readdir(folder)))
        found = entry->d_name[0] != '.' && !strncmp(entry->d_name, prefix, strlen(prefix));
    if (folder)
        closedir(folder);
    return found;
}

/* Interfaces with a driver of their own, so no bridges or loop-back: eth0:25000 (Mbit/s). */
static void ethernet(struct sheet *sheet)
{
    const char *root = "/sys/class/net";
    char list[512] = "", path[700], speed[64];
    size_t length = 0;
    DIR *folder = opendir(root);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        snprintf(path, sizeof path, "%s/%.200s/device", root, entry->d_name);
        if (entry->d_name[0] == '.' || access(path, F_OK))
            continue;
        snprintf(path, sizeof path, "%s/%.200s/speed", root, entry->d_name);
        first_line(path, speed, sizeof speed);
        int more = snprintf(list + length, sizeof list - length, "%s%.200s:%s", length ? " " : "", entry->d_name, speed);
        length += more > 0 && (size_t)more < sizeof list - length ? (size_t)more : 0;
    }
    if (folder)
        closedir(folder);
    put(sheet, "ethernet", list, root);
}

/* Reading one's own memory is always allowed unless a filter forbids the call; Yama decides about other processes. */
static void cross_memory(struct sheet *sheet)
{
    char from = 1, to = 0, line[64];
    struct iovec local = { &to, 1 }, remote = { &from, 1 };
    int works = process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
    int scope = first_line("/proc/sys/kernel/yama/ptrace_scope", line, sizeof line) ? line[0] - '0' : 0;
    put_truth(sheet, "cma", works && scope == 0, "process_vm_readv and /proc/sys/kernel/yama/ptrace_scope");
    if (first_line("/proc/self/uid_map", line, sizeof line))
        put_truth(sheet, "user_namespace", strstr(line, "4294967295") == NULL, "/proc/self/uid_map");
}

void devices(struct sheet *sheet)
{
    infiniband(sheet);
    ethernet(sheet);
    cross_memory(sheet);
    put_truth(sheet, "omnipath", holds("/sys/class/infiniband", "hfi1"), "/sys/class/infiniband");
    put_truth(sheet, "efa", holds("/sys/class/infiniband", "efa"), "/sys/class/infiniband");
    put_truth(sheet, "slingshot", holds("/sys/class/cxi", ""), "/sys/class/cxi");
    if (!access("/dev/nvidiactl", F_OK))
        put(sheet, "gpu", "nvidia", "/dev/nvidiactl");
    else if (!access("/dev/kfd", F_OK))
        put(sheet, "gpu", "amd", "/dev/kfd");
    else if (access("/dev/dri", F_OK))
        put(sheet, "gpu", "", "/dev/nvidiactl, /dev/kfd, /dev/dri");
}
