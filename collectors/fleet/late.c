/* Python asks `dlsym` for the beginning of each module that it has opened, before the module runs.
 * In a rank the address of that function in Python's own table leads here first: one look at how
 * many files were opened so far. Nothing is exported, and no other program's calls come here. */
#define _GNU_SOURCE
#include "late.h"
#include "gate.h"
#include "tables.h"
#include <dlfcn.h>
#include <sys/auxv.h>

#pragma weak dl_iterate_phdr
#pragma weak dlsym
#pragma weak getauxval

/* Small: what does not fit into the page of the other data would need a page of its own in every
 * process. */
static void *(*open_for)(const char *library, char **environment);
static char **environment;
static struct link_map *collector;
static unsigned long long files;

int late_is_library(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    return begins(name, "libmpi.so") || begins(name, "libmpich.so") ||
           begins(name, "libmpi_abi.so");
}

int late_is_python(const struct link_map *file)
{
    struct tables tables;
    tables_read(&tables, file->l_addr, file->l_ld);
    return tables_find(&tables, "Py_IsInitialized") != NULL;
}

struct file {
    struct tables tables;
    uintptr_t locked[2];
    const ElfW(Dyn) * dynamic;
};

static void read_file(struct file *file, const struct dl_phdr_info *info)
{
    const uintptr_t page = getauxval(AT_PAGESZ), base = info->dlpi_addr;
    *file = (struct file){ .dynamic = NULL };
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_DYNAMIC)
            file->dynamic = (const void *)(base + part->p_vaddr);
        if (part->p_type == PT_GNU_RELRO) {
            file->locked[0] = (base + part->p_vaddr) & -page;
            file->locked[1] = (base + part->p_vaddr + part->p_memsz) & -page;
        }
    }
    if (file->dynamic)
        tables_read(&file->tables, base, file->dynamic);
}

static int count(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    *(unsigned long long *)found = info->dlpi_adds;
    return 1;
}

static int library(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    *(const char **)found = info->dlpi_name;
    return info->dlpi_name && late_is_library(info->dlpi_name);
}

static int is_of_mpi(const char *name)
{
    return begins(name, "MPI_") || begins(name, "PMPI_") || begins(name, "mpi_") ||
           begins(name, "pmpi_");
}

static void *of_collector(const char *name)
{
    struct tables tables;
    if (!is_of_mpi(name))
        return NULL;
    tables_read(&tables, collector->l_addr, collector->l_ld);
    return tables_find(&tables, name);
}

static int bind(struct dl_phdr_info *info, size_t size, void *unused)
{
    struct file file;
    (void)size, (void)unused;
    read_file(&file, info);
    if (file.dynamic && file.dynamic != collector->l_ld)
        tables_bind(&file.tables, file.locked, of_collector);
    return 0;
}

/* Files that have come since the last look. */
static void look(void)
{
    unsigned long long now = 0;
    const char *name = NULL;
    dl_iterate_phdr(count, &now);
    if (now == __atomic_exchange_n(&files, now, __ATOMIC_ACQ_REL))
        return;
    if (!collector && open_for && dl_iterate_phdr(library, &name)) {
        void *(*const open)(const char *, char **) =
            __atomic_exchange_n(&open_for, NULL, __ATOMIC_ACQ_REL);
        collector = open ? open(name, environment) : NULL;
    }
    if (collector)
        dl_iterate_phdr(bind, NULL);
}

static void *looked_up(void *handle, const char *name)
{
    if (open_for || collector)
        look();
    return dlsym(handle, name);
}

static void *of_watch(const char *name)
{
    return equals(name, "dlsym") ? (void *)looked_up : NULL;
}

static int watch(struct dl_phdr_info *info, size_t size, void *bound)
{
    struct file file;
    (void)size;
    read_file(&file, info);
    if (file.dynamic && tables_find(&file.tables, "Py_IsInitialized"))
        *(int *)bound |= tables_bind(&file.tables, file.locked, of_watch);
    return 0;
}

void late_wait(void *(*open)(const char *library, char **environment), char **variables)
{
    int bound = 0;
    open_for = open;
    environment = variables;
    dl_iterate_phdr(watch, &bound);
}
