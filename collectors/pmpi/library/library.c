#define _GNU_SOURCE
#include "library.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct real real;
static char path[512];
static const char *low, *high; /* where the library's file is mapped */
static void *handle;

#if defined(OPEN_MPI)
#define DEFINE(name) struct object_of_library *at_##name;
OPEN_MPI_OBJECTS(DEFINE)
#undef DEFINE
static const struct {
    const char *name;
    struct object_of_library **at;
} objects[] = {
#define ENTRY(name) { #name, &at_##name },
    OPEN_MPI_OBJECTS(ENTRY)
#undef ENTRY
};
/* The macros of handles.h must not rewrite the names in quotes above: they do not, # keeps them. */
#endif

static int is_library(const char *file)
{
    const char *name = strrchr(file, '/');
    name = name ? name + 1 : file;
    return !strncmp(name, "libmpi.so", 9) || !strncmp(name, "libmpich.so", 11) ||
           !strncmp(name, "libmpi_abi.so", 13) || !strncmp(name, "libmpi_", 7) ||
           !strncmp(name, "libmpich_", 9) || !strncmp(name, "libmvapich", 10);
}

/* A library loaded by dlopen is not found by RTLD_NEXT: ask each loaded file that is called like
 * one. */
static int visit(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    if (!info->dlpi_name || !is_library(info->dlpi_name))
        return 0;
    void *candidate = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
    void *function = candidate ? dlsym(candidate, "PMPI_Init") : NULL;
    Dl_info where;
    if (function && dladdr(function, &where) && !strcmp(where.dli_fname, info->dlpi_name)) {
        *(void **)found = candidate;
        return 1;
    }
    if (candidate)
        dlclose(candidate);
    return 0;
}

static int note_range(struct dl_phdr_info *info, size_t size, void *function)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const char *from = (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        const char *to = from + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) &&
            (const char *)function >= from && (const char *)function < to) {
            low = from;
            high = to;
            return 1;
        }
    }
    return 0;
}

void *library_symbol(const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);
    return next || !handle ? next : dlsym(handle, name);
}

#if defined(OPEN_MPI)
/* The linker may have put the object into the program itself (copy relocation): the first in the
 * search order counts. */
static void find_objects(void)
{
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        *objects[i].at = dlsym(RTLD_DEFAULT, objects[i].name);
        if (!*objects[i].at)
            *objects[i].at = library_symbol(objects[i].name);
    }
}
#endif

/* dladdr of a function pointer that RTLD_NEXT gave tells the file; without one the library was
 * loaded by dlopen. Not PMPI_Init: collectors/endpoints, which may stand between us and the
 * library, has one too. */
static void find(void)
{
    Dl_info where;
    void *first = dlsym(RTLD_NEXT, "PMPI_Comm_rank");
    if (!first) {
        dl_iterate_phdr(visit, &handle);
        first = handle ? dlsym(handle, "PMPI_Comm_rank") : NULL;
    }
    if (!first)
        return;
    if (dladdr(first, &where) && where.dli_fname)
        snprintf(path, sizeof path, "%s", where.dli_fname);
    dl_iterate_phdr(note_range, first);
    const char *name = real_names;
    for (unsigned i = 0; i < real_count; i++, name += strlen(name) + 1)
        if (!(((void **)&real)[i] = library_symbol(name)))
            ((void **)&real)[i] =
                library_symbol(name + 1); /* MPI_x, where a library has no PMPI_x */
#if defined(OPEN_MPI)
    find_objects();
#endif
}

void library_find(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int found;
    if (__atomic_load_n(&found, __ATOMIC_ACQUIRE))
        return;
    pthread_mutex_lock(&lock);
    if (!found) {
        find();
        __atomic_store_n(&found, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

const char *library_path(void)
{
    return path;
}
int library_holds(const void *address)
{
    return (const char *)address >= low && (const char *)address < high;
}

int library_holds_fortran(void)
{
    void *function = library_symbol("mpi_send_");
    return function && library_holds(function);
}
