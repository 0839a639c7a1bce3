/* MPI-IO: files, and what was read and written. */
#define _GNU_SOURCE
#include "tracing.h"
#include "map.h"
#include <pthread.h>
#include <stdio.h>

enum { MOST_FILES = 1 << 12 };
static struct map numbers = MAP_START; /* file → its number */
static struct map splits = MAP_START;  /* file → the request that stands for a split call; one at a
                                          time, says the standard */
static uint64_t known[MOST_FILES];     /* what each number stands for, as a hash */
static unsigned count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned number_of(MPI_File file)
{
    return (unsigned)(uintptr_t)map_find(&numbers, (uintptr_t)file);
}

static uint16_t modes_of(int modes)
{
    return (uint16_t)((modes & (MPI_MODE_RDONLY | MPI_MODE_RDWR) ? FILE_READS : 0) |
                      (modes & (MPI_MODE_WRONLY | MPI_MODE_RDWR) ? FILE_WRITES : 0) |
                      (modes & MPI_MODE_CREATE ? FILE_IS_MADE : 0) |
                      (modes & MPI_MODE_EXCL ? FILE_IS_NEW : 0) |
                      (modes & MPI_MODE_DELETE_ON_CLOSE ? FILE_IS_TEMPORARY : 0) |
                      (modes & MPI_MODE_APPEND ? FILE_GROWS : 0));
}

/* Programs open the same file again and again. */
static unsigned number_file(struct file_definition *made)
{
    uint64_t hash = 0x9E3779B97F4A7C15ull * (made->communicator + 1) ^ made->modes;
    for (const char *at = made->name; *at; at++)
        hash = (hash ^ (uint64_t)(unsigned char)*at) * 0xD6E8FEB86659FD93ull, hash ^= hash >> 32;
    for (unsigned i = 0; i < count; i++)
        if (known[i] == hash)
            return i + 1;
    if (count == MOST_FILES)
        return 0;
    known[count++] = hash;
    made->head.number = (uint16_t)count;
    trace_define(made, sizeof *made);
    return count;
}

static void write_down(const struct block *block, unsigned kind, unsigned number, int64_t bytes,
                       uint64_t request, int collective)
{
    if (number)
        trace_part(block, (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                                .request = request,
                                                .tag = collective,
                                                .communicator = (uint16_t)number,
                                                .kind = (uint8_t)kind });
}

void trace_file(const struct block *block, MPI_File file, MPI_Comm handle, const char *name,
                int modes)
{
    struct file_definition made = { { DEFINE_FILE, 0, sizeof made },
                                    (uint16_t)trace_communicator(communicator_of(handle)),
                                    modes_of(modes),
                                    { 0 },
                                    "" };
    if (!made.communicator)
        return;
    snprintf(made.name, sizeof made.name, "%s", name);
    pthread_mutex_lock(&lock);
    const unsigned number = number_file(&made);
    pthread_mutex_unlock(&lock);
    if (number && map_insert(&numbers, (uintptr_t)file, (void *)(uintptr_t)number))
        write_down(block, EVENT_FILE, number, 0, 0, 0);
}

unsigned trace_file_gone(MPI_File file)
{
    return (unsigned)(uintptr_t)map_remove(&numbers, (uintptr_t)file);
}

void trace_file_closed(const struct block *block, unsigned number)
{
    write_down(block, EVENT_FILE_CLOSED, number, 0, 0, 0);
}

void trace_moved(const struct block *block, unsigned kind, MPI_File file, int64_t bytes,
                 const MPI_Status *status, int collective)
{
    write_down(block, kind, number_of(file), bytes, trace_bytes_in(status), collective);
}

void trace_start_moving(const struct block *block, unsigned kind, MPI_File file, int64_t bytes,
                        int collective, MPI_Request request)
{
    const unsigned number = number_of(file);
    if (number)
        trace_request(block,
                      (struct trace_event){ .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                            .tag = collective,
                                            .communicator = (uint16_t)number,
                                            .kind = (uint8_t)kind },
                      request);
}

void trace_split(const struct block *block, unsigned kind, MPI_File file, int64_t bytes)
{
    const uint64_t request = trace_next_request();
    if (map_insert(&splits, (uintptr_t)file, (void *)(uintptr_t)request))
        write_down(block, kind, number_of(file), bytes, request, 1);
}

void trace_split_over(const struct block *block, MPI_File file, const MPI_Status *status)
{
    const uint64_t request = (uint64_t)(uintptr_t)map_remove(&splits, (uintptr_t)file);
    if (request)
        write_down(block, EVENT_FILE_DONE, number_of(file), (int64_t)trace_bytes_in(status),
                   request, 1);
}
