/* Sources of counts. Processor events come from PAPI if it is installed and the program does not
 * use it, otherwise from the kernel's perf events; getrusage and the thread's clock provide what
 * the system counts. libpapi is never linked. */
#define _GNU_SOURCE
#include "counters.h"
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CANDIDATES = 4, NO_EVENT = -1, SOFTWARE = 4, HARDWARE = COUNTER_ROWS - SOFTWARE };

/* Stalls on memory have no preset that all processors know; the names behind are Intel's and Arm's
 * own. */
static const struct known {
    const char *name, *papi[CANDIDATES];
    int perf;
} known[] = {
    { "cycles", { "PAPI_TOT_CYC" }, PERF_COUNT_HW_CPU_CYCLES },
    { "instructions", { "PAPI_TOT_INS" }, PERF_COUNT_HW_INSTRUCTIONS },
    { "memory_stalls",
      { "PAPI_MEM_SCY", "CYCLE_ACTIVITY:STALLS_MEM_ANY", "CYCLE_ACTIVITY:STALLS_LDM_PENDING",
        "STALL_BACKEND_MEM" },
      NO_EVENT },
    { "stalls", { "PAPI_RES_STL", "PAPI_STL_ICY" }, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
    { "cache_misses", { "PAPI_L3_TCM" }, PERF_COUNT_HW_CACHE_MISSES },
    { "floating_point", { "PAPI_DP_OPS", "PAPI_FP_OPS" }, NO_EVENT },
};
enum { KNOWN = sizeof known / sizeof *known };
static const char *const software[SOFTWARE] = { "cpu_time", "page_faults", "voluntary_switches",
                                                "involuntary_switches" };

static struct {
    int (*library_init)(int), (*is_initialized)(void), (*create_eventset)(int *),
        (*add_named_event)(int, const char *);
    int (*remove_named_event)(int, const char *), (*start)(int), (*stop)(int, long long *),
        (*read)(int, long long *);
} papi;
static int event_set = -1, group = -1, hardware;

/* ---- PAPI ---- */

static void *load_papi(void)
{
    static const char *const names[] = { "libpapi.so",     "libpapi.so.7.2", "libpapi.so.7.1",
                                         "libpapi.so.7.0", "libpapi.so.7",   "libpapi.so.6.0",
                                         "libpapi.so.6",   "libpapi.so.5.7" };
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD))
            return NULL; /* the program's own: its counters and ours cannot run in one thread */
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    return library;
}

/* It wants to be told its own version, which it does not tell before. */
static int init_papi(void)
{
    for (int major = 5; major <= 9; major++)
        for (int minor = 0; minor <= 9; minor++)
            if (papi.library_init(major << 24 | minor << 16) == (major << 24 | minor << 16))
                return papi.create_eventset(&event_set) == 0;
    return 0;
}

static int open_papi(void)
{
    void *library = load_papi();
#define FIND(member, name) (papi.member = (__typeof__(papi.member))dlsym(library, name))
    return library && FIND(library_init, "PAPI_library_init") &&
           FIND(is_initialized, "PAPI_is_initialized") && !papi.is_initialized() &&
           FIND(create_eventset, "PAPI_create_eventset") &&
           FIND(add_named_event, "PAPI_add_named_event") && FIND(start, "PAPI_start") &&
           FIND(remove_named_event, "PAPI_remove_named_event") && FIND(stop, "PAPI_stop") &&
           FIND(read, "PAPI_read") && init_papi();
#undef FIND
}

/* What can be added may still not start beside the others, and PAPI lists names as available that
 * the machine does not have. */
static int add_to_papi(const char *name)
{
    long long values[HARDWARE];
    if (event_set < 0 || !name || papi.add_named_event(event_set, name))
        return 0;
    if (!papi.start(event_set) && !papi.stop(event_set, values))
        return 1;
    papi.remove_named_event(event_set, name);
    return 0;
}

/* ---- perf events ---- */

/* Of this thread, in the program and not in the kernel, which a plain user may not look into. The
 * first leads the group. */
static int open_perf(int event)
{
    struct perf_event_attr wanted = { .type = PERF_TYPE_HARDWARE,
                                      .size = sizeof wanted,
                                      .config = (uint64_t)event,
                                      .disabled = group < 0,
                                      .exclude_kernel = 1,
                                      .exclude_hv = 1,
                                      .read_format = PERF_FORMAT_GROUP |
                                                     PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                     PERF_FORMAT_TOTAL_TIME_RUNNING };
    return (int)syscall(SYS_perf_event_open, &wanted, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

static int add_to_perf(int event)
{
    int file = event == NO_EVENT ? -1 : open_perf(event);
    if (group < 0)
        group = file;
    return file >= 0;
}

static void read_perf(uint64_t *values)
{
    struct {
        uint64_t number, enabled, running, values[HARDWARE];
    } found;
    const ssize_t size = read(group, &found, sizeof found);
    for (int i = 0; i < hardware; i++) /* others use the counters too, in turns */
        values[i] = size > 0 && found.running
                        ? (uint64_t)((double)found.values[i] *
                                     ((double)found.enabled / (double)found.running))
                        : 0;
}

/* ---- why not ---- */

static int paranoid(void)
{
    int level = -2;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (file) {
        if (fscanf(file, "%d", &level) != 1)
            level = -2;
        fclose(file);
    }
    return level;
}

static int is_virtual(void)
{
    char line[8192];
    int found = 0;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = !strncmp(line, "flags", 5) && strstr(line, " hypervisor") != NULL;
    if (file)
        fclose(file);
    return found;
}

/* Reason, a tab, and what would help. */
static const char *why(char *text, size_t size, int has_papi)
{
    const int level = paranoid(), file = open_perf(PERF_COUNT_HW_CPU_CYCLES), error = errno;
    if (file >= 0) {
        close(file);
        return has_papi ? "this processor has no such counter, or none left beside the "
                          "others\tfewer counters at a time: --counters=LIST"
                        : "only PAPI knows this counter, and libpapi was not found, or the program "
                          "uses it itself\ta run with libpapi in LD_LIBRARY_PATH";
    }
    if ((error == EACCES || error == EPERM) && level > 2)
        snprintf(text, size,
                 "perf_event_paranoid is %d, which forbids users to count\tperf_event_paranoid at "
                 "2 or less, by an administrator",
                 level);
    else if (error == EACCES || error == EPERM)
        snprintf(text, size,
                 "the container forbids perf_event_open\ta run outside the container, or one that "
                 "allows perf_event_open");
    else if (error == ENOSYS)
        snprintf(text, size,
                 "the kernel was built without performance events\ta run on a host with them");
    else
        snprintf(
            text, size,
            is_virtual()
                ? "this virtual machine shows no counters of the processor\ta run on a host that "
                  "is not virtual, or a virtual machine with a performance monitoring unit"
                : "the kernel has no counters for this processor (%s)\ta run on a host whose "
                  "kernel has",
            strerror(error));
    return text;
}

/* ---- together ---- */

static const struct known *find_known(const char *name)
{
    for (int i = 0; i < KNOWN; i++)
        if (!strcmp(known[i].name, name))
            return &known[i];
    return NULL;
}

static int add_hardware(const char *name)
{
    const struct known *counter = find_known(name);
    int added = 0;
    if (hardware == HARDWARE)
        return 0;
    if (event_set < 0)
        return counter && add_to_perf(counter->perf);
    for (int i = 0; counter && !added && i < CANDIDATES; i++)
        added = add_to_papi(counter->papi[i]);
    return added || (!counter && add_to_papi(name));
}

static void name_row(struct counter_row *row, const char *name)
{
    snprintf(row->name, sizeof row->name, "%s", name);
}

static int is_software(const char *name)
{
    for (int i = 0; i < SOFTWARE; i++)
        if (!strcmp(software[i], name))
            return 1;
    return 0;
}

static void add_wanted(const char *name, struct counter_row *rows, char *missing, size_t size)
{
    char reason[256];
    const size_t length = strlen(missing);
    if (is_software(name)) /* is read in any case */
        return;
    if (add_hardware(name))
        name_row(&rows[hardware++], name);
    else
        snprintf(missing + length, size - length, "%.40s\t%s\n", name,
                 why(reason, sizeof reason, event_set >= 0));
}

static void add_list(const char *list, struct counter_row *rows, char *missing, size_t size)
{
    char copy[1024], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        add_wanted(name, rows, missing, size);
}

int counter_sources_open(const char *wish, struct counter_row *rows, char *missing, size_t size)
{
    if (!open_papi())
        event_set = -1;
    if (*wish && strcmp(wish, "all"))
        add_list(wish, rows, missing, size);
    else
        for (int i = 0; i < KNOWN; i++)
            add_wanted(known[i].name, rows, missing, size);
    if (event_set >= 0 && hardware)
        papi.start(event_set);
    if (group >= 0)
        ioctl(group, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    for (int i = 0; i < SOFTWARE; i++)
        name_row(&rows[hardware + i], software[i]);
    return hardware + SOFTWARE;
}

static void read_software(uint64_t *values)
{
    struct rusage usage;
    struct timespec used;
    getrusage(RUSAGE_THREAD, &usage);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    values[0] = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
    values[1] = (uint64_t)(usage.ru_minflt + usage.ru_majflt);
    values[2] = (uint64_t)usage.ru_nvcsw;
    values[3] = (uint64_t)usage.ru_nivcsw;
}

void counter_sources_read(uint64_t values[COUNTER_ROWS])
{
    if (hardware && event_set >= 0)
        papi.read(event_set, (long long *)values);
    else if (hardware)
        read_perf(values);
    read_software(values + hardware);
}
