/* Networks of this host, as the kernel lists them. */
#define _GNU_SOURCE
#include "fact_buffer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 1024 };
static const char *const rdma = "/sys/class/infiniband";

/* One port of an RDMA device: its kind, and as text mlx5_0:1:InfiniBand:100 (Gbit/s). */
struct port {
    char text[200], speed[32], driver[64];
    const char *kind;
    int rate, active;
};

/* What was found. Ports of all kinds in `every`; `best`: the fastest one that is up. */
struct found {
    char infiniband[LIST], every[LIST];
    int roce, omnipath, efa, active;
    struct port best;
};

static void append(char *list, size_t size, const char *text, const char *end)
{
    size_t length = strlen(list);
    if (length + strlen(text) + strlen(end) + 2 < size)
        snprintf(list + length, size - length, "%s%s%s", length ? "," : "", text, end);
}

static const char *kind_of(const struct fact_buffer *buffer, const char *device, const char *layer)
{
    char path[700], line[64];
    if (!strncmp(device, "hfi1_", 5) || !strncmp(device, "opx", 3))
        return "omnipath";
    snprintf(path, sizeof path, "%s/%.200s/device/vendor", rdma, device);
    if (first_line(buffer, path, line, sizeof line) && !strcmp(line, "0x1d0f")) /* Amazon */
        return "efa";
    if (!strcmp(layer, "InfiniBand"))
        return "infiniband";
    snprintf(path, sizeof path, "%s/%.200s/node_type", rdma, device);
    int iwarp = (first_line(buffer, path, line, sizeof line) && strstr(line, "iWARP")) ||
                !strncmp(device, "irdma", 5);
    return iwarp ? "iwarp" : "roce";
}

/* A rate reads 100 Gb/sec (4X EDR). */
static void read_port(const struct fact_buffer *buffer, const char *device, const char *number,
                      struct port *port)
{
    char path[700], layer[64], line[64], state[64];
    snprintf(path, sizeof path, "%s/%.200s/ports/%.20s/link_layer", rdma, device, number);
    if (!first_line(buffer, path, layer, sizeof layer))
        snprintf(layer, sizeof layer, "unknown");
    snprintf(path, sizeof path, "%s/%.200s/ports/%.20s/rate", rdma, device, number);
    first_line(buffer, path, line, sizeof line);
    port->rate = atoi(line);
    const char *open = strchr(line, '('), *close = open ? strchr(open, ')') : NULL;
    snprintf(port->speed, sizeof port->speed, "%.*s", close ? (int)(close - open - 1) : 0,
             open ? open + 1 : "");
    snprintf(path, sizeof path, "%s/%.200s/ports/%.20s/state", rdma, device, number);
    port->active = first_line(buffer, path, state, sizeof state) && strstr(state, "ACTIVE");
    snprintf(path, sizeof path, "%s/%.200s/device/driver", rdma, device);
    last_of_link(buffer, path, port->driver, sizeof port->driver);
    port->kind = kind_of(buffer, device, layer);
    snprintf(port->text, sizeof port->text, "%.60s:%.20s:%s:%d", device, number, layer, port->rate);
}

static void take_port(struct found *found, const struct port *port)
{
    append(found->every, LIST, port->text, port->active ? "" : ":down");
    if (!port->active)
        return;
    found->active++;
    found->roce |= !strcmp(port->kind, "roce");
    found->omnipath |= !strcmp(port->kind, "omnipath");
    found->efa |= !strcmp(port->kind, "efa");
    if (!strcmp(port->kind, "infiniband"))
        append(found->infiniband, LIST, port->text, "");
    if (found->active == 1 || port->rate > found->best.rate)
        found->best = *port;
}

static void rdma_ports(struct fact_buffer *buffer, struct found *found)
{
    DIR *devices = open_folder(buffer, rdma);
    struct dirent *device, *number;
    while (devices && (device = readdir(devices))) {
        char path[700];
        snprintf(path, sizeof path, "%s/%.200s/ports", rdma, device->d_name);
        DIR *ports = device->d_name[0] == '.' ? NULL : open_folder(buffer, path);
        while (ports && (number = readdir(ports))) {
            struct port port;
            if (number->d_name[0] == '.')
                continue;
            read_port(buffer, device->d_name, number->d_name, &port);
            take_port(found, &port);
        }
        if (ports)
            closedir(ports);
    }
    if (devices)
        closedir(devices);
}

/* Interfaces with a driver of their own that are up, so no bridges or loop-back: eth0:25000
 * (Mbit/s). Those of Slingshot are called hsn0, hsn1 …; the rate of the fastest of them is returned
 * in Gbit/s. */
static int ethernet(struct fact_buffer *buffer)
{
    const char *root = "/sys/class/net";
    char list[512] = "", path[700], line[64], text[128];
    int slingshot = 0;
    DIR *folder = open_folder(buffer, root);
    struct dirent *entry;
    if (!folder)
        return 0;
    while ((entry = readdir(folder))) {
        snprintf(path, sizeof path, "%s/%.200s/device", root, entry->d_name);
        if (entry->d_name[0] == '.' || !is_there(buffer, path))
            continue;
        snprintf(path, sizeof path, "%s/%.200s/type", root, entry->d_name);
        if (!first_line(buffer, path, line, sizeof line) || strcmp(line, "1")) /* ARPHRD_ETHER */
            continue;
        snprintf(path, sizeof path, "%s/%.200s/operstate", root, entry->d_name);
        if (!first_line(buffer, path, line, sizeof line) ||
            (strcmp(line, "up") && strcmp(line, "unknown")))
            continue;
        snprintf(path, sizeof path, "%s/%.200s/speed", root, entry->d_name);
        int speed = first_line(buffer, path, line, sizeof line) ? atoi(line) : 0;
        if (!strncmp(entry->d_name, "hsn", 3)) {
            slingshot = speed / 1000 > slingshot ? speed / 1000 : slingshot;
            continue;
        }
        snprintf(text, sizeof text, speed > 0 ? "%.60s:%d" : "%.60s", entry->d_name, speed);
        append(list, sizeof list, text, "");
    }
    closedir(folder);
    put(buffer, "ethernet", list, root);
    return slingshot;
}

/* Does a folder hold anything? */
static int holds(const struct fact_buffer *buffer, const char *path)
{
    int some = 0;
    DIR *folder = open_folder(buffer, path);
    struct dirent *entry;
    while (folder && !some && (entry = readdir(folder)))
        some = entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return some;
}

static void put_best(struct fact_buffer *buffer, const struct found *found, int slingshot)
{
    const struct port *best = &found->best;
    int rate = best->rate > slingshot ? best->rate : slingshot;
    put_number(buffer, "network_ports", (unsigned)found->active, rdma);
    if (rate)
        put_number(buffer, "network_rate", (unsigned)rate, "fastest port that is up, Gbit/s");
    if (found->active && *best->speed)
        put(buffer, "network_speed", best->speed, rdma);
    if (found->active && *best->driver)
        put(buffer, "network_driver", best->driver, rdma);
}

void networks(struct fact_buffer *buffer)
{
    struct found found;
    memset(&found, 0, sizeof found);
    int slingshot = ethernet(buffer);
    if (!is_there(buffer, "/sys/class"))
        return;
    rdma_ports(buffer, &found);
    put(buffer, "infiniband", found.infiniband,
        rdma); /* empty: looked, and there is none that is up */
    put(buffer, "rdma_ports", found.every, rdma);
    put_truth(buffer, "roce", found.roce, rdma);
    put_truth(buffer, "omnipath", found.omnipath, rdma);
    put_truth(buffer, "efa", found.efa, rdma);
    put_truth(buffer, "slingshot", holds(buffer, "/sys/class/cxi"), "/sys/class/cxi");
    put_best(buffer, &found, slingshot);
}
