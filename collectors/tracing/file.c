/* Where the events lie: in the result folder if that is a disk of this host, else in a local folder
 * from which they are copied at the end. Never mapped on a network file system: write-back would
 * stall the rank. */
#define _GNU_SOURCE
#include "file.h"
#include "file_room.h"
#include "local_folder.h"
#include "record.h"
#include "settings.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COPIED_AT_ONCE = 1 << 20 };
static const uint64_t usual_size = 64 << 20;
static char path[600];
static int has_file, is_elsewhere; /* not kept open: see record.c */

int wish_read(const char *text, struct wish *wish)
{
    *wish = (struct wish){ .size = usual_size };
    for (char name[16]; *text; text += strspn(text, ":")) {
        double value;
        int length = 0;
        if (sscanf(text, "%15[a-z]=%lf%n", name, &value, &length) != 2)
            return 0;
        text += length;
        if (!strcmp(name, "size"))
            wish->size = value > 0 ? (uint64_t)value : 0;
        else if (!strcmp(name, "from"))
            wish->from = value;
        else if (!strcmp(name, "to"))
            wish->to = value, wish->keep_first = 1;
        else if (!strcmp(name, "last"))
            wish->last = value;
        else if (!strcmp(name, "region"))
            wish->region = (int)value, wish->has_region = 1;
        else
            return 0;
    }
    return 1;
}

static size_t size_for(uint64_t capacity)
{
    return TRACE_HEADER_SIZE + TRACE_DEFINITIONS_SIZE + capacity * sizeof(struct trace_event);
}
static const char *result_folder(char *text, size_t size)
{
    snprintf(text, size, "%.480s/../trace", setting_output());
    return text;
}

static int open_in(const char *folder, const char *file_system, size_t size)
{
    if (!*folder || !file_may_grow_to(size) || !folder_holds(file_system, size + size / 4))
        return -1;
    snprintf(path, sizeof path, "%.500s/advisor-%s-%d.events", folder, setting_run(),
             (int)getpid());
    int made = local_open(path, O_RDWR | O_EXCL);
    if (made < 0 || posix_fallocate(made, 0, (off_t)size) ==
                        0) /* a page that is not there would end the rank by SIGBUS */
        return made;
    local_remove(path);
    close(made);
    return -1;
}

static int choose_folder(size_t size)
{
    char result[512];
    int made = open_in(result_folder(result, sizeof result), result, size);
    is_elsewhere = made < 0;
    for (unsigned i = 1; made < 0 && local_folder(i);
         i++) /* memory (0) last: the program needs it more */
        made = open_in(local_folder(i), local_file_system(i), size);
    return made < 0 ? open_in(local_folder(0), local_file_system(0), size) : made;
}

struct trace_header *trace_file_open(const struct wish *wish)
{
    uint64_t capacity = 1;
    while (capacity * 2 * sizeof(struct trace_event) <= wish->size)
        capacity *= 2;
    size_t size = size_for(capacity);
    const int file = *setting_output() ? choose_folder(size) : -1;
    void *memory =
        file < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (memory == MAP_FAILED)
        return NULL;
    has_file = 1;
    madvise(memory, size, MADV_DONTFORK);
    struct trace_header *header = memory;
    header->version = TRACE_VERSION;
    header->header_size = TRACE_HEADER_SIZE;
    header->definitions_size = TRACE_DEFINITIONS_SIZE;
    header->capacity = capacity;
    header->keep_first = (uint32_t)wish->keep_first;
    header->is_cut = wish->from > 0 || wish->to > 0 || wish->last > 0 || wish->has_region;
    header->last = wish->last;
    return header;
}

struct trace_event *trace_file_events(struct trace_header *header)
{
    return (struct trace_event *)((char *)header + TRACE_HEADER_SIZE + TRACE_DEFINITIONS_SIZE);
}

void trace_file_define(struct trace_header *header, const void *definition, size_t size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (header->definitions_used + size > TRACE_DEFINITIONS_SIZE)
        __atomic_fetch_add(&header->lost_definitions, 1, __ATOMIC_RELAXED);
    else {
        memcpy((char *)header + TRACE_HEADER_SIZE + header->definitions_used, definition, size);
        __atomic_store_n(&header->definitions_used, header->definitions_used + size,
                         __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

static int write_all(int to, const char *from, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t wrote =
            write(to, from + at, size - at < COPIED_AT_ONCE ? size - at : COPIED_AT_ONCE);
        if (wrote <= 0)
            return 0;
        at += (size_t)wrote;
    }
    return 1;
}

/* Only what was used. */
static int copy_to(const char *target, const struct trace_header *header)
{
    uint64_t used = header->head < header->capacity ? header->head : header->capacity;
    char draft[700];
    snprintf(draft, sizeof draft, "%s.tmp", target);
    int to = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int good = to >= 0 && file_may_grow_to(size_for(used)) &&
               write_all(to, (const char *)header, size_for(used));
    if (to >= 0 && (close(to) || !good || rename(draft, target))) {
        unlink(draft);
        good = 0;
    }
    return good;
}

void trace_file_close(struct trace_header *header, int rank)
{
    char result[512], target[600];
    if (!has_file)
        return;
    has_file = 0;
    snprintf(target, sizeof target, "%s/rank-%d.events", result_folder(result, sizeof result),
             rank);
    /* Not made shorter in place: another thread that is still in a call would be ended by SIGBUS.
     */
    int kept = is_elsewhere ? copy_to(target, header) : !rename(path, target);
    if (kept && is_elsewhere)
        local_remove(path);
}

void trace_file_forget(void)
{
    has_file = 0;
}
