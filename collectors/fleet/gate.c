/* The object that a centre preloads into everything. In a process without an MPI library it reads
 * the loader's list of files and returns: no system call, no allocation, no exported symbol, no
 * other library needed. A rank of a job that is measured starts its program once more, with the
 * collector preloaded instead of this object; a rank in Python waits for the library (late.c).
 * README.md says why so and not otherwise. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <stdlib.h>
#include <unistd.h>
#include "gate.h"
#include "late.h"

/* All weak: a process without the GNU C library must start as before. Bound at the first call. */
extern const char *gnu_get_libc_version(void) __attribute__((weak));
extern char *realpath(const char *path, char *resolved) __attribute__((weak));
#pragma weak _r_debug
#pragma weak access
#pragma weak close
#pragma weak dlopen
#pragma weak execve
#pragma weak getauxval
#pragma weak getpid
#pragma weak lseek
#pragma weak open
#pragma weak read
#pragma weak readlink
#pragma weak setenv
#pragma weak unsetenv

/* Hidden, so that no look-up is needed. */
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

enum { PATH = 4096, TABLE = 16384, STATUS = 4096, LONGEST_SETTING = PATH + 64 };

struct gate {
    char **words, **environment;
    const char *own, *library; /* as the loader names them */
    const char *preload;
    int python;
    char home[PATH], collector[PATH], spool[PATH], program[PATH];
};

static int is_python(const char *path)
{
    return holds(path, "/libpython", sizeof "/libpython");
}

/* What every process does, and all that most of them do. */
static int has_reason(struct gate *gate)
{
    const struct link_map *const program = _r_debug.r_map;
    gate->own = gate->library = NULL;
    gate->python = program && late_is_python(program);
    for (const struct link_map *map = program; map; map = map->l_next) {
        if (map->l_ld == _DYNAMIC)
            gate->own = map->l_name;
        else if (map->l_name && late_is_library(map->l_name) && !gate->library)
            gate->library = map->l_name;
        else if (map->l_name && is_python(map->l_name))
            gate->python = 1;
    }
    return gate->own && (gate->library || gate->python);
}

static const char *variable(const struct gate *gate, const char *name)
{
    for (char **entry = gate->environment; *entry; entry++) {
        const char *value = behind(*entry, name);
        if (value && *value == '=')
            return value + 1;
    }
    return NULL;
}

/* What a launcher tells its ranks. A program that is linked with MPI and started by itself is not
 * worth a profile, and a script may start a million of them. */
static int is_rank(const struct gate *gate)
{
    static const char names[][24] = { "PMIX_RANK",           "PMI_RANK",    "OMPI_COMM_WORLD_RANK",
                                      "MV2_COMM_WORLD_RANK", "PALS_RANKID", "FLUX_TASK_RANK",
                                      "SLURM_STEP_ID" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (variable(gate, names[i]))
            return 1;
    return 0;
}

static int is_refused(const struct gate *gate)
{
    const char *wish = variable(gate, "ADVISOR_FLEET");
    return (wish && (equals(wish, "off") || equals(wish, "0") || equals(wish, "no"))) ||
           variable(gate, "ADVISOR_OUTPUT") || variable(gate, "ADVISOR_RUN");
}

/* Beside these the collector has a place that only advisor itself works out, or nothing to do. */
static int is_preloaded_already(const char *preload)
{
    static const char others[][16] = { "libmpi",         "vgpreload",        "asan",
                                       "tsan",           "/advisor-openmpi", "/advisor-mpich",
                                       "/advisor-intel", "advisor-by-hand" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (holds(preload, others[i], sizeof others[i]))
            return 1;
    return 0;
}

/* Folder of the folder that this object lies in. */
static int find_home(struct gate *gate)
{
    size_t length = 0, slashes[2] = { 0, 0 };
    for (; gate->own[length] && length < PATH; length++)
        if (gate->own[length] == '/') {
            slashes[0] = slashes[1];
            slashes[1] = length;
        }
    if (gate->own[0] != '/' || length >= PATH - 32)
        return 0;
    copy(gate->home, gate->own, slashes[0]);
    return slashes[0] > 0;
}

static size_t contents(const char *home, const char *name, char *text, size_t size)
{
    char path[PATH];
    join(path, sizeof path, home, name, "");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = 0;
    return length > 0 ? (size_t)length : 0;
}

/* As advisor-fleet-run does: the same jobs are chosen whichever way they come in. */
static int is_chosen(const struct gate *gate)
{
    char text[16], path[PATH];
    uint64_t job, share;
    join(path, sizeof path, gate->home, "/off", "");
    if (!access(path, F_OK) || !contents(gate->home, "/share", text, sizeof text) ||
        !number(text, 5, &share) || !number(variable(gate, "SLURM_JOB_ID"), 12, &job) || !job)
        return 0;
    return (job % 65536 * 40503 + job / 65536 * 30011) % 65536 * 10000 / 65536 < share;
}

/* A debugger counts the starts of a program, and a tracer would lose it. */
static int is_traced(void)
{
    char text[STATUS];
    if (!contents("", "/proc/self/status", text, sizeof text))
        return 1;
    for (const char *line = text; *line; line++) {
        const char *value = behind(line, "\nTracerPid:\t");
        if (value)
            return *value != '0';
    }
    return 1;
}

static int64_t size_of(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int64_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    if (file >= 0)
        close(file);
    return size;
}

/* Lines "BYTES LIBRARY COLLECTOR", parted by tabs. A library that was updated since is another one
 * until the centre says otherwise. */
static int find_collector(struct gate *gate)
{
    char table[TABLE], real[PATH];
    if (!realpath(gate->library, real) || !contents(gate->home, "/libraries", table, sizeof table))
        return 0;
    for (char *line = table; *line;) {
        char *fields[3];
        line = split(line, fields);
        uint64_t bytes;
        if (fields[2] && number(fields[0], 12, &bytes) && equals(fields[1], real) &&
            (int64_t)bytes == size_of(real)) {
            join(gate->collector, PATH, gate->home, "/collectors/", fields[2]);
            return !access(gate->collector, R_OK);
        }
    }
    return 0;
}

/* The name that it was started by, where that leads to the same file: the process keeps it. */
static int find_program(struct gate *gate)
{
    char real[PATH], started[PATH];
    const char *name = (const char *)getauxval(AT_EXECFN);
    ssize_t length = readlink("/proc/self/exe", real, sizeof real - 1);
    if (length <= 0 || !getauxval(AT_BASE))
        return 0;
    real[length] = 0;
    const int same = name && realpath(name, started) && equals(started, real);
    join(gate->program, PATH, same ? name : real, "", "");
    return gate->program[0];
}

static int find_spool(struct gate *gate)
{
    char path[PATH];
    join(path, sizeof path, gate->home, "/spool", "");
    ssize_t length = readlink(path, gate->spool, PATH - 1);
    gate->spool[length > 0 ? length : 0] = 0;
    return gate->spool[0] == '/';
}

/* CLUSTER.JOB.STEP, as the name of a profile begins. Launch lines without a step of their own are
 * told apart by the process. */
static void name_profile(const struct gate *gate, char *text)
{
    const char *cluster = variable(gate, "SLURM_CLUSTER_NAME");
    const char *step = variable(gate, "SLURM_STEP_ID");
    uint64_t known;
    char *end = add(text, "ADVISOR_SPOOL_NAME=");
    end = add(end, cluster && is_word(cluster, 64) ? cluster : "cluster");
    end = add(add(end, "."), variable(gate, "SLURM_JOB_ID"));
    if (number(step, 9, &known))
        add(add(end, "."), step);
    else
        add_number(add(end, ".line"), (uint64_t)getpid());
}

/* What the collector is told, as entries of an environment. */
struct told {
    char preload[2 * PATH], before[2 * PATH], spool[LONGEST_SETTING], name[256], run[64];
};

static void tell(const struct gate *gate, struct told *told)
{
    char *others = add(told->before, "ADVISOR_FLEET_PRELOAD=");
    without(others, gate->preload, gate->own, PATH);
    char *end = add(add(told->preload, "LD_PRELOAD="), others);
    add(add(end, *others ? ":" : ""), gate->collector);
    add(add(told->spool, "ADVISOR_SPOOL="), gate->spool);
    name_profile(gate, told->name);
    add(add(told->run, "ADVISOR_RUN=fleet-"), variable(gate, "SLURM_JOB_ID"));
}

/* Returns if it cannot be started again: then it goes on as it is. */
static void start_again(struct gate *gate)
{
    size_t count = 0, kept = 0;
    struct told told;
    while (gate->environment[count])
        count++;
    char *environment[count + 6];
    for (size_t i = 0; i < count; i++)
        if (!behind(gate->environment[i], "LD_PRELOAD="))
            environment[kept++] = gate->environment[i];
    tell(gate, &told);
    char *const more[] = { told.preload, told.before, told.spool, told.name, told.run, NULL };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        environment[kept++] = more[i];
    execve(gate->program, gate->words, environment);
}

/* The library is there, and none of its functions ran. The collector reads its variables when it is
 * opened and takes them away. */
static void *__attribute__((noinline)) open_collector(const char *library, char **environment)
{
    struct gate gate;
    struct told told;
    gate.environment = environment;
    if (!has_reason(&gate))
        return NULL;
    gate.library = library;
    gate.preload = variable(&gate, "LD_PRELOAD");
    if (!find_home(&gate) || !find_collector(&gate) || !find_spool(&gate))
        return NULL;
    tell(&gate, &told);
    char *const more[] = { told.before, told.spool, told.name, told.run };
    char *values[4];
    for (size_t i = 0; i < 4; i++) {
        values[i] = more[i];
        while (*values[i] != '=')
            values[i]++;
        *values[i]++ = 0;
        setenv(more[i], values[i], 1);
    }
    void *collector = dlopen(gate.collector, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (size_t i = 0; i < 4 && !collector; i++)
        unsetenv(more[i]);
    return collector;
}

static void __attribute__((noinline)) consider(struct gate *gate)
{
    gate->preload = variable(gate, "LD_PRELOAD");
    if (getauxval(AT_SECURE) || !gate->preload || length_of(gate->preload) >= PATH - 64 ||
        is_refused(gate) || !is_rank(gate) || is_preloaded_already(gate->preload))
        return;
    if (!find_home(gate) || !is_chosen(gate))
        return;
    if (!gate->library)
        late_wait(open_collector, gate->environment);
    else if (!is_traced() && find_collector(gate) && find_spool(gate) && find_program(gate))
        start_again(gate);
}

static __attribute__((constructor)) void loaded(int count, char **words, char **environment)
{
    (void)count;
    if (!gnu_get_libc_version || !&_r_debug)
        return; /* other C libraries hand nothing to constructors */
    struct gate gate;
    if (!has_reason(&gate))
        return;
    gate.words = words;
    gate.environment = environment;
    consider(&gate);
}
