/* The components that Open MPI has chosen. No call reports them, and MPI_T reports only the
 * request; but the library exports the objects. */
#define _GNU_SOURCE
#include "library.h"
#include "tool_interface.h"
#include "open_fds.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(OPEN_MPI)
/* Layout of a component's beginning, the same since Open MPI 1.3 (MCA 2.x): three numbers, the
 * project, three numbers, the framework at 40, three numbers, the component's name at 84. */
enum {
    FRAMEWORK_AT = 40,
    NAME_AT = 84,
    NAME_SIZE = 64,
    /* Of a build without debugging: a list's first item starts at 16, its next at 16 + 16; a
     * selected module's component stands behind the item's 40 bytes. */
    SENTINEL_AT = 16,
    NEXT_AT = 16,
    COMPONENT_AT = 40,
    MOST_MODULES = 64
};

/* Copies memory of this process; 0 where there is none, so that another layout than ours crashes
 * nothing. */
static int peek(const void *from, void *to, size_t size)
{
    struct iovec here = { to, size }, there = { (void *)(uintptr_t)from, size };
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

static int component_name(const char *component, const char *framework, char *name)
{
    char start[NAME_AT + NAME_SIZE];
    if (!component || !peek(component, start, sizeof start) ||
        strncmp(start + FRAMEWORK_AT, framework, 32))
        return 0;
    snprintf(name, NAME_SIZE, "%.63s", start + NAME_AT);
    for (const char *at = name; *at; at++)
        if (*at < '0' || *at > 'z')
            return 0;
    return *name != 0;
}

static void add(char *text, size_t size, const char *key, const char *value)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s=%s", length ? " " : "", key, value);
}

/* Open MPI keeps one initialised module for each interface, so the same name comes more than once.
 */
static void add_modules(char *text, size_t size)
{
    const char *list = library_symbol("mca_btl_base_modules_initialized");
    const char *sentinel = list ? list + SENTINEL_AT : NULL, *item = NULL;
    char names[256] = "", last[NAME_SIZE] = "", name[NAME_SIZE];
    if (!sentinel || !peek(sentinel + NEXT_AT, &item, sizeof item))
        return;
    for (int number = 0; item && item != sentinel && number < MOST_MODULES; number++) {
        const char *component = NULL;
        if (!peek(item + COMPONENT_AT, &component, sizeof component) ||
            !component_name(component, "btl", name))
            return;
        if (strcmp(name, last) && strlen(names) + strlen(name) + 2 < sizeof names)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? "," : "",
                     name);
        snprintf(last, sizeof last, "%s", name);
        if (!peek(item + NEXT_AT, &item, sizeof item))
            return;
    }
    if (*names)
        add(text, size, "btl", names);
}

static void add_components(char *text, size_t size)
{
    char name[NAME_SIZE];
    const char *mtl = NULL, *const *place = library_symbol("ompi_mtl_base_selected_component");
    if (component_name(library_symbol("mca_pml_base_selected_component"), "pml", name))
        add(text, size, "pml", name);
    if (place && peek(place, &mtl, sizeof mtl) && component_name(mtl, "mtl", name))
        add(text, size, "mtl", name);
    add_modules(text, size);
}
#else
static void add_components(char *text, size_t size)
{
    (void)text;
    (void)size;
}
#endif

/* pml=ob1 btl=self,vader,tcp open=tcp: one line of words KEY=NAMES. `ended`: with what is open,
 * which shows only at the end. */
void library_components(char *text, size_t size, int ended)
{
    char names[256];
    *text = 0;
    add_components(text, size);
    if (!ended)
        return;
    open_fds(names, sizeof names);
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%sopen=%s", length ? " " : "", names);
}
