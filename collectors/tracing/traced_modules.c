/* Which files code lies in, so that return addresses mean something when the rank is gone; and
 * values of counters. */
#define _GNU_SOURCE
#include "tracing.h"
#include "counters.h"
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_MODULES = 1 << 9 };
static uint64_t known[MOST_MODULES]; /* where each begins */
static unsigned count;

static void path_of(const struct dl_phdr_info *info, char *path, size_t size)
{
    char program[PATH_MAX];
    const ssize_t length = info->dlpi_name && *info->dlpi_name
                               ? 0
                               : readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    const char *from = length ? program : info->dlpi_name;
    const size_t all = strlen(from);
    snprintf(path, size, "%s", all < size ? from : from + all - size + 1);
}

static int is_known(uint64_t from)
{
    unsigned i = 0;
    while (i < count && known[i] != from)
        i++;
    return i < count;
}

static int visit(struct dl_phdr_info *info, size_t size, void *to)
{
    (void)size, (void)to;
    for (int i = 0; i < info->dlpi_phnum && count < MOST_MODULES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uint64_t from = info->dlpi_addr + part->p_vaddr;
        struct module_definition made = {
            { DEFINE_MODULE, 0, sizeof made }, info->dlpi_addr, from, from + part->p_memsz, ""
        };
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || is_known(from))
            continue;
        path_of(info, made.path, sizeof made.path);
        known[count++] = from;
        trace_define(&made, sizeof made);
    }
    return 0;
}

/* At the begin, for ranks that are killed, and at the end, for libraries that the program loaded.
 */
void trace_modules(void)
{
    dl_iterate_phdr(visit, NULL);
}

void trace_counters(const struct block *block, int counters, const uint64_t *values, int at_begin)
{
    static int defined; /* one thread is counted */
    for (; defined < counters; defined++) {
        struct counter_definition made = { { DEFINE_COUNTER, (uint16_t)(defined + 1), sizeof made },
                                           "" };
        memcpy(made.name, record->counters[defined].name, sizeof made.name);
        trace_define(&made, sizeof made);
    }
    for (int i = 0; i < counters; i++)
        trace_part(block,
                   (struct trace_event){
                       .bytes = values[i], .peer = at_begin, .tag = i + 1, .kind = EVENT_COUNTER });
}
