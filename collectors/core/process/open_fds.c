/* Open file descriptors of this process that carry messages: devices of fast networks and of single
 * copy, connections to other nodes. They show what a library uses, whatever it was asked to use. */
#define _GNU_SOURCE
#include "open_fds.h"
#include <dirent.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const devices[] = {
    "infiniband/uverbs", "hfi1_", "opx", "cxi", "kgni", "tofu", "xpmem", "knem", "limic", NULL
};

static void append(char *list, size_t size, const char *name)
{
    size_t length = strlen(list);
    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ',') && (at[strlen(name)] == ',' || !at[strlen(name)]))
            return;
    if (length + strlen(name) + 2 < size)
        snprintf(list + length, size - length, "%s%s", length ? "," : "", name);
}

static void take_device(const char *name, char *list, size_t size)
{
    char path[300], target[300];
    snprintf(path, sizeof path, "/proc/self/fd/%.200s", name);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    for (const char *const *device = devices; *device; device++)
        if (!strncmp(target, "/dev/", 5) && !strncmp(target + 5, *device, strlen(*device)))
            append(list, size, target + 5);
}

/* The bytes of an address without its port. */
static size_t address_of(const struct sockaddr_storage *name, const void **bytes)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)name;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)name;
    *bytes =
        name->ss_family == AF_INET ? (const void *)&four->sin_addr : (const void *)&six->sin6_addr;
    return name->ss_family == AF_INET    ? sizeof four->sin_addr
           : name->ss_family == AF_INET6 ? sizeof six->sin6_addr
                                         : 0;
}

/* A connection by TCP whose ends have different addresses. The socket itself is asked: to read
 * /proc/self/net/tcp, the kernel walks the table of all connections that the host could have, which
 * takes milliseconds on hosts with much memory. */
static int leads_away(int descriptor)
{
    struct sockaddr_storage here, there;
    socklen_t size_here = sizeof here, size_there = sizeof there, size_type = sizeof(int);
    const void *local, *remote;
    int type = 0;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size_type) || type != SOCK_STREAM ||
        getsockname(descriptor, (struct sockaddr *)&here, &size_here) ||
        getpeername(descriptor, (struct sockaddr *)&there, &size_there))
        return 0;
    size_t length = address_of(&here, &local);
    return length && here.ss_family == there.ss_family && address_of(&there, &remote) == length &&
           memcmp(local, remote, length);
}

void open_fds(char *list, size_t size)
{
    int away = 0;
    struct dirent *entry;
    struct stat facts;
    DIR *folder = opendir("/proc/self/fd");
    *list = 0;
    while (folder && (entry = readdir(folder))) {
        const int descriptor = atoi(entry->d_name);
        if (*entry->d_name == '.' || fstat(descriptor, &facts))
            continue;
        if (S_ISCHR(facts.st_mode)) /* the kernel takes long to find the name of what is open */
            take_device(entry->d_name, list, size);
        else if (!away && S_ISSOCK(facts.st_mode))
            away = leads_away(descriptor);
    }
    if (folder)
        closedir(folder);
    if (away)
        append(list, size, "tcp");
}
