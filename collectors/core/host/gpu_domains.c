/* In which memory domain each GPU lies: the same files as advisor/probing/gpu_domains.py reads. */
#include "fact_buffer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOMAINS = 64 };

/* How many GPUs lie in each domain; `unknown` if one of them does not say. */
struct found {
    unsigned count[DOMAINS];
    int any, unknown;
};

static void take(struct fact_buffer *buffer, const char *path, struct found *found)
{
    char line[64];
    int domain = first_line(buffer, path, line, sizeof line) ? atoi(line) : -1;
    found->any = 1;
    if (domain < 0 || domain >= DOMAINS)
        found->unknown = 1;
    else
        found->count[domain]++;
}

static void nvidia(struct fact_buffer *buffer, struct found *found)
{
    DIR *folder = open_folder(buffer, "/proc/driver/nvidia/gpus");
    struct dirent *entry;
    char path[400];
    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%.200s/numa_node", entry->d_name);
        take(buffer, path, found);
    }
    if (folder)
        closedir(folder);
}

static void amd(struct fact_buffer *buffer, struct found *found)
{
    DIR *folder = open_folder(buffer, "/sys/class/kfd/kfd/topology/nodes");
    struct dirent *entry;
    char path[400], text[8192];
    while (folder && (entry = readdir(folder))) {
        snprintf(path, sizeof path, "/sys/class/kfd/kfd/topology/nodes/%.200s/properties",
                 entry->d_name);
        if (entry->d_name[0] == '.' || !whole_file(buffer, path, text, sizeof text))
            continue;
        const char *units = strstr(text, "simd_count ");
        const char *minor = strstr(text, "drm_render_minor ");
        if (!units || atoi(units + 11) <= 0)
            continue; /* a processor */
        snprintf(path, sizeof path, "/sys/class/drm/renderD%d/device/numa_node",
                 minor ? atoi(minor + 17) : -1);
        take(buffer, path, found);
    }
    if (folder)
        closedir(folder);
}

void gpu_domains(struct fact_buffer *buffer)
{
    struct found found = { { 0 }, 0, 0 };
    char list[512] = "";
    size_t length = 0;
    nvidia(buffer, &found);
    amd(buffer, &found);
    if (!found.any || found.unknown)
        return;
    for (int domain = 0; domain < DOMAINS; domain++)
        for (unsigned each = 0; each < found.count[domain] && length + 8 < sizeof list; each++)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%d",
                                       length ? "," : "", domain);
    put(buffer, "gpu_domains", list, "numa_node of each GPU");
}
