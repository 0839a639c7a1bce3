/* The files: which can be used, and where their events lie. */
#define _GNU_SOURCE
#include "writer.h"
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_RANKS = 1 << 20,
    RANKS_A_FILE = 64
}; /* files of other hosts may be lost; a number that cannot be must not make as many locations */

struct candidate {
    char *name;
    const struct trace_header *header;
    uint64_t size;
};

static const void *map(const char *path, uint64_t *size)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *memory = MAP_FAILED;
    if (file >= 0 && !fstat(file, &facts) && facts.st_size >= TRACE_HEADER_SIZE) {
        *size = (uint64_t)facts.st_size;
        memory = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0)
        close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

static int is_tick(double seconds)
{
    return isfinite(seconds) && seconds > 1e-12 && seconds < 1e-3;
}

/* NULL if it can be used. */
static const char *fault_of(const struct trace_header *header, uint64_t size)
{
    if (!header)
        return "it is too short to be one, or cannot be read";
    if (memcmp(header->magic, TRACE_MAGIC, sizeof header->magic))
        return "it holds no events of a rank, or the rank ended before it had begun";
    if (header->version != TRACE_VERSION || header->header_size != TRACE_HEADER_SIZE)
        return "it was written by another version of advisor";
    if (!header->capacity || header->capacity & (header->capacity - 1) ||
        header->definitions_size > size || header->definitions_size % 8 ||
        header->definitions_used > header->definitions_size ||
        header->definitions_used + TRACE_HEADER_SIZE > size || header->head >> 62 ||
        header->capacity >> 40)
        return "its header contradicts itself";
    if (header->ranks < 1 || header->ranks > MOST_RANKS || header->rank < 0 ||
        header->rank >= header->ranks)
        return "it says of a rank that cannot be";
    if (!is_tick(header->seconds_per_tick) ||
        (header->has_map && (!is_tick(header->map_rate) || !isfinite(header->map_shift))) ||
        !isfinite(header->last) || !isfinite(header->origin_time))
        return "its clock cannot be";
    return NULL;
}

static void refuse_file(const char *name, const char *why)
{
    printf("damaged %s: %s\n", name, why);
}

static void make_room(struct writer *writer, int32_t ranks)
{
    if (ranks <= writer->ranks)
        return;
    writer->sources = xrealloc(writer->sources, (size_t)ranks, sizeof *writer->sources);
    memset(writer->sources + writer->ranks, 0,
           (size_t)(ranks - writer->ranks) * sizeof *writer->sources);
    writer->ranks = ranks;
}

static void take(struct writer *writer, const char *name, const struct trace_header *header,
                 uint64_t size)
{
    const uint64_t start = TRACE_HEADER_SIZE + header->definitions_size,
                   capacity = header->capacity, head = header->head;
    make_room(writer, header->ranks);
    struct source *source = &writer->sources[header->rank];
    if (source->header) {
        refuse_file(name, "another file is of the same rank");
        return;
    }
    *source =
        (struct source){ .header = header,
                         .available =
                             size > start ? (size - start) / sizeof(struct trace_event) : 0,
                         .events = (const struct trace_event *)((const char *)header + start) };
    source->available = source->available < capacity ? source->available : capacity;
    source->from = header->keep_first || head < capacity ? 0 : head - capacity;
    source->to = header->keep_first && head > capacity ? capacity : head;
    writer->overwritten += header->head - (source->to - source->from);
    writer->is_cut |= header->is_cut || source->to - source->from < head;
    writer->last = header->last > writer->last ? header->last : writer->last;
}

static int is_events(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && !strcmp(end, ".events");
}

/* How many ranks there are, as most of the files say. */
static int32_t vote(const struct candidate *candidates, int count)
{
    int32_t ranks = 0;
    int votes = 0;
    for (int i = 0; i < count; i++) {
        if (!votes)
            ranks = candidates[i].header->ranks;
        votes += candidates[i].header->ranks == ranks ? 1 : -1;
    }
    return ranks;
}

static int find(struct candidate *candidates, struct dirent **entries, int count,
                const char *folder)
{
    int good = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        uint64_t size = 0;
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        const struct trace_header *header = map(path, &size);
        const char *fault = fault_of(header, size);
        if (fault)
            refuse_file(entries[i]->d_name, fault);
        else
            candidates[good++] = (struct candidate){ entries[i]->d_name, header, size };
    }
    return good;
}

void sources_open(struct writer *writer, const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_events, versionsort);
    struct candidate *candidates =
        xrealloc(NULL, count > 0 ? (size_t)count : 1, sizeof *candidates);
    const int good = find(candidates, entries, count, folder);
    const int32_t ranks = vote(candidates, good);
    for (int i = 0; i < good; i++)
        if (candidates[i].header->ranks != ranks || ranks / RANKS_A_FILE > count)
            refuse_file(candidates[i].name,
                        "it says of more ranks than there can be, or of others than most files do");
        else
            take(writer, candidates[i].name, candidates[i].header, candidates[i].size);
    if (!writer->ranks)
        die("there is no event file that can be used");
}
