/* Where the record lies, and how it survives: a file in memory first, a local directory second,
 * plain memory last. */
#define _GNU_SOURCE
#include "record.h"
#include "file_room.h"
#include "local_folder.h"
#include "operations.h"
#include "restrictions.h"
#include "settings.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct record *record;
static char record_path[512];
static int has_file;
static ino_t number; /* its file's */
static pid_t owner;
static pthread_mutex_t block_lock = PTHREAD_MUTEX_INITIALIZER;

void record_name(char *path, size_t size, const char *folder, int pid)
{
    snprintf(path, size, "%.400s/advisor-%s-%d.record", folder, setting_run(), pid);
}

static int open_in(unsigned index)
{
    if (!*local_folder(index) || !file_may_grow_to(record_size()) ||
        !folder_holds(local_file_system(index), 8 * record_size()))
        return -1;
    record_name(record_path, sizeof record_path, local_folder(index), (int)getpid());
    int file = local_open(record_path, O_RDWR | O_EXCL);
    if (file < 0)
        return -1;
    /* Fewer pages than promised would kill the rank by SIGBUS at the first touch, so reserve them
     * now. */
    if (ftruncate(file, (off_t)record_size()) == 0 &&
        posix_fallocate(file, 0, (off_t)record_size()) == 0)
        return file;
    local_remove(record_path);
    close(file);
    return -1;
}

static void *map(int file, size_t offset, size_t size)
{
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, (off_t)offset);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, size, MADV_DONTFORK);
    return memory;
}

static void forget_in_child(void)
{
    record = NULL;
    has_file = 0;
}

static int choose_file(void)
{
    int file = -1;
    if (!*setting_output())
        return -1; /* nobody will collect it */
    for (unsigned i = 0; file < 0 && local_folder(i); i++)
        file = open_in(i);
    return file;
}

/* The file is not kept open: a program may need all descriptors that it is allowed, or close those
 * that it does not know. */
static char *map_new(void)
{
    struct stat facts;
    const int file = choose_file();
    char *base = map(file, 0, record_size());
    has_file = file >= 0 && !fstat(file, &facts);
    number = has_file ? facts.st_ino : 0;
    if (file >= 0)
        close(file);
    if (!base && has_file) {
        record_remove();
        base = map(-1, 0, record_size());
    }
    return base;
}

void record_open(void)
{
    char *base = map_new();
    if (!base)
        return;
    owner = getpid();
    record = (struct record *)(base + RECORD_HEADER_SIZE);
    record->rank.pid = owner;
    record->rank.rank = -1;
    record->rank.node = -1;
    record->rank.state = STATE_RUNNING;
    samples_start(record->reservoirs);
    snprintf(record->rank.run, sizeof record->rank.run, "%s", setting_run());
    uint64_t length =
        record_header(base + 16, RECORD_HEADER_SIZE - 16, operation_names, operation_count);
    memcpy(base + 8, &length, sizeof length);
    uint64_t magic;
    memcpy(&magic, "ADVRECO\n", sizeof magic);
    __atomic_store_n((uint64_t *)base, magic, __ATOMIC_RELEASE);
    pthread_atfork(NULL, NULL, forget_in_child);
}

static struct block *block_in_file(off_t offset)
{
    const off_t end = offset + (off_t)block_stride();
    int file = file_may_grow_to((uint64_t)end) ? record_file(O_RDWR) : -1;
    struct block *block = NULL;
    if (file < 0)
        return NULL;
    if (ftruncate(file, end) == 0 && posix_fallocate(file, offset, (off_t)block_stride()) == 0)
        block = map(file, (size_t)offset, block_stride());
    close(file);
    return block;
}

static struct block *new_block(uint32_t index)
{
    const off_t offset = (off_t)(record_size() + index * block_stride());
    struct block *block = index && restrictions_now() ? NULL : block_in_file(offset);
    return block ? block : map(-1, 0, block_stride());
}

struct block *record_block(void)
{
    pthread_mutex_lock(&block_lock);
    struct block *block = NULL;
    uint32_t index = record ? record->rank.blocks : BLOCK_LIMIT;
    if (index < BLOCK_LIMIT && (block = new_block(index))) {
        block->peers[0].peer = peer_name(-1);
        block->events[0].shortest = block->asked = UINT64_MAX;
        record->block[index] = block;
        __atomic_store_n(&record->rank.blocks, index + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&block_lock);
    return block;
}

void record_remove(void)
{
    if (has_file)
        local_remove(record_path);
    has_file = 0;
}

/* Somebody may have put another file in its place. */
int record_file(int access)
{
    struct stat facts;
    int file = has_file ? open(record_path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (file >= 0 && !fstat(file, &facts) && facts.st_ino == number && facts.st_uid == geteuid())
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

const char *record_file_name(void)
{
    return record_path;
}

uint64_t record_memory(void)
{
    return record
               ? record_size() + (uint64_t)__atomic_load_n(&record->rank.blocks, __ATOMIC_ACQUIRE) *
                                     block_stride()
               : 0;
}

int record_is_ours(void)
{
    return record && getpid() == owner;
}
