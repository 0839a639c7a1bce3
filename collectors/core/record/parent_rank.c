#define _GNU_SOURCE
#include "parent_rank.h"
#include "local_folder.h"
#include "operations.h"
#include "record.h"
#include "settings.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GENERATIONS = 64 }; /* a loop of parents is impossible, but /proc changes while it is read */

static pid_t parent_of(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = 0;
    const char *name_end = strrchr(text, ')');
    int parent = 0;
    return name_end && sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Of this user alone: others could let a process that is none of ours look like one, or make the
 * file shorter while it is mapped. */
static int is_ours(int file)
{
    struct stat facts;
    return !fstat(file, &facts) && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
           facts.st_nlink == 1;
}

static int open_record(pid_t pid)
{
    char path[512];
    for (unsigned i = 0; local_folder(i); i++) {
        record_name(path, sizeof path, local_folder(i), pid);
        int file = *local_folder(i) ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
        if (file >= 0 && is_ours(file))
            return file;
        if (file >= 0)
            close(file);
    }
    return -1;
}

/* Only a record that this build has written is laid out as we know it. */
static int is_of_this_build(const char *base)
{
    char *text = malloc(RECORD_HEADER_SIZE);
    uint64_t length = 0;
    memcpy(&length, base + 8, sizeof length);
    int same =
        text && !memcmp(base, "ADVRECO\n", 8) &&
        record_header(text, RECORD_HEADER_SIZE, operation_names, operation_count) == length &&
        !memcmp(text, base + 16, length);
    free(text);
    return same;
}

static void count_in(int file)
{
    struct stat facts;
    if (fstat(file, &facts) || (size_t)facts.st_size < record_size())
        return;
    char *base = mmap(NULL, record_size(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (base == MAP_FAILED)
        return;
    struct record *theirs = (struct record *)(base + RECORD_HEADER_SIZE);
    if (is_of_this_build(base))
        __atomic_add_fetch(&theirs->rank.children, 1, __ATOMIC_RELAXED);
    munmap(base, record_size());
}

int parent_rank_is_measured(void)
{
    pid_t pid = *setting_output() ? parent_of(getpid()) : 0;
    for (int i = 0; i < GENERATIONS && pid > 1; i++, pid = parent_of(pid)) {
        int file = open_record(pid);
        if (file < 0)
            continue;
        count_in(file);
        close(file);
        return 1;
    }
    return 0;
}
