#define _GNU_SOURCE
#include "sites.h"
#include "events.h"
#include <dlfcn.h>
#include <link.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint16_t program; /* its row */

uint16_t sites_row(const char *path)
{
    pthread_mutex_lock(&lock);
    uint16_t row = 1;
    while (row < MODULE_ROWS && record->modules[row].used &&
           strcmp(record->modules[row].path, path))
        row++;
    if (row < MODULE_ROWS && !record->modules[row].used) {
        size_t length = strlen(path), room = sizeof record->modules[row].path;
        memcpy(record->modules[row].path, length < room ? path : path + length - room + 1,
               length < room ? length + 1 : room);
        record->modules[row].used = 1;
    }
    pthread_mutex_unlock(&lock);
    return row < MODULE_ROWS ? row : 0;
}

struct search {
    uint64_t site;
    uint16_t module;
    uint32_t offset;
};

static int visit(struct dl_phdr_info *info, size_t size, void *to)
{
    struct search *search = to;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uint64_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || search->site < from ||
            search->site >= from + info->dlpi_phdr[i].p_memsz)
            continue;
        uint64_t offset =
            search->site - info->dlpi_addr; /* as linked: what addr2line and the symbol table use */
        search->module = offset > UINT32_MAX                   ? 0
                         : info->dlpi_name && *info->dlpi_name ? sites_row(info->dlpi_name)
                                                               : program;
        search->offset = search->module ? (uint32_t)offset : 0;
        return 1;
    }
    return 0;
}

static void locate(uint64_t site, uint16_t *module, uint32_t *offset)
{
    struct search search = { site, 0, 0 };
    if (record)
        dl_iterate_phdr(visit, &search);
    *module = search.module;
    *offset = search.offset;
}

/* As mapped: code, constants, and the tables of fixed size among its data. */
static int add_own(struct dl_phdr_info *info, size_t size, void *to)
{
    const uint64_t here = (uint64_t)(uintptr_t)&lock;
    uint64_t bytes = 0;
    int own = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        own |= here - (info->dlpi_addr + part->p_vaddr) < part->p_memsz;
        bytes += part->p_memsz;
    }
    if (own)
        *(uint64_t *)to = bytes;
    return own;
}

uint64_t sites_own_image(void)
{
    uint64_t bytes = 0;
    dl_iterate_phdr(add_own, &bytes);
    return bytes;
}

/* The loader's name of the main program is what it was started as, perhaps relative to a folder
 * since left. */
void sites_start(void)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    program = sites_row(path);
    event_locate = locate;
}
