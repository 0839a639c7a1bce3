#define _GNU_SOURCE
#include "restrictions.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Filters are of threads: MPI_Init and MPI_Finalize are called by the same one. */
static const char *const path = "/proc/thread-self/status";
static struct {
    uint64_t peak;
    int filters;
} seen;              /* when the kernel was last asked */
static int at_start; /* filters then */
static int watched = -1;
static unsigned found;
static rlim_t size_at_start, files_at_start;

static uint64_t number_after(const char *status, const char *name)
{
    const char *at = strstr(status, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* The kernel writes the whole text at the first read. `filters` grows with each: kernels before 5.9
 * do not count them, there only the first is seen. */
static int look(int file)
{
    char status[6144];
    const ssize_t length = file < 0 ? -1 : read(file, status, sizeof status - 1);
    status[length > 0 ? length : 0] = 0;
    seen.peak = number_after(status, "\nVmHWM:") * 1024;
    seen.filters =
        (int)(number_after(status, "\nSeccomp:") + number_after(status, "\nSeccomp_filters:"));
    return !strncmp(status, "Name:", 5);
}

static int look_once(void)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC), good = look(file);
    if (file >= 0)
        close(file);
    return good;
}

static rlim_t limit_of(int what)
{
    struct rlimit limit;
    return getrlimit(what, &limit) ? RLIM_INFINITY : limit.rlim_cur;
}

/* The loader has just opened, read and closed files. */
void restrictions_begin(void)
{
    look_once();
    at_start = seen.filters;
    size_at_start = limit_of(RLIMIT_FSIZE);
    files_at_start = limit_of(RLIMIT_NOFILE);
}

/* MPI_Init itself opens, reads and closes files. */
int restrictions_came(void)
{
    return look_once() && seen.filters > at_start;
}

/* High up: a program that closes all that it does not know may be given the low numbers again. */
void restrictions_watch(void)
{
    const rlim_t limit = limit_of(RLIMIT_NOFILE), most = limit < 1024 ? limit : 1024;
    if (watched >= 0)
        return;
    const int low = open(path, O_RDONLY | O_CLOEXEC);
    watched = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, (int)(most - most / 16 - 1));
    if (low < 0)
        found = errno == EMFILE ? RESTRICTED_DESCRIPTORS : 0;
    else if (watched < 0)
        watched = low;
    else
        close(low);
}

unsigned restrictions_now(void)
{
    if (found || watched < 0)
        return found;
    if (!look(watched))
        found = RESTRICTED_DESCRIPTORS;
    else if (seen.filters > at_start)
        found = RESTRICTED_CALLS;
    else
        lseek(watched, 0, SEEK_SET); /* to be read again */
    return found;
}

void restrictions_end(void)
{
    if (watched >= 0 && !found)
        close(watched);
    watched = -1;
}

uint64_t restrictions_memory_peak(void)
{
    return seen.peak;
}

unsigned restrictions_by(int error)
{
    if (error == EFBIG && limit_of(RLIMIT_FSIZE) < size_at_start)
        return RESTRICTED_FILE_SIZE;
    return error == EMFILE && limit_of(RLIMIT_NOFILE) < files_at_start ? RESTRICTED_DESCRIPTORS : 0;
}
