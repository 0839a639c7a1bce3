/* Reads an OTF2 archive and writes a profile.
 *
 * Usage: otf2-profile ARCHIVE PROFILE THREADS MEMORY SECONDS
 * MEMORY: bytes that it may take, 0: any; SECONDS: without progress, after which it gives up. Exit
 * code 1 and one sentence on standard output if the archive cannot be read; progress goes to
 * standard error. Built with MPI it is started as a job of several processes, of which each reads a
 * part of the ranks.
 *
 * Every thread reads the locations of its own ranks, one stretch of time after the other, so that
 * partners meet in memory soon after they were read and the memory needed does not grow with the
 * length of the trace. */
#define _GNU_SOURCE
#include "pool.h"
#include "group.h"
#include <otf2/OTF2_Pthread_Locks.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct pool pool;

static void no_progress(int number)
{
    static const char words[] = "reading it makes no progress\n";
    (void)number;
    _exit(write(1, words, sizeof words - 1) < 0 ? 2 : 1);
}

static OTF2_ErrorCode silence(void *data, const char *file, uint64_t line, const char *function,
                              OTF2_ErrorCode code, const char *format, va_list list)
{
    (void)data, (void)file, (void)line, (void)function, (void)format, (void)list;
    return code;
}

static OTF2_Reader *open_archive(const char *path)
{
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    if (!reader)
        die("its first file is damaged, or parts of it are missing");
    if (OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS ||
        OTF2_Pthread_Reader_SetLockingCallbacks(reader, NULL) != OTF2_SUCCESS)
        die("its first file is damaged, or of a kind that the library here cannot read");
    return reader;
}

static void bound(rlim_t memory)
{
    struct rlimit limit = { memory, memory };
    if (memory)
        setrlimit(RLIMIT_AS, &limit);
    signal(SIGALRM, no_progress);
    alarm((unsigned)pool.timeout);
}

/* Steps of the critical path are kept where temporary files are, for as long as this runs. */
static void keep_steps(void)
{
    const char *folder = getenv("TMPDIR");
    pool.path.is_lost = !steps_open(folder && *folder ? folder : "/tmp");
}

int main(int count, char **words)
{
    if (count != 6)
        return fprintf(stderr, "usage: otf2-profile ARCHIVE PROFILE THREADS MEMORY SECONDS\n"), 2;
    char *creator = NULL;
    group_begin();
    archive_is_at(words[1]);
    pool.timeout = strtoull(words[5], NULL, 10);
    bound(strtoull(words[4], NULL, 10));
    OTF2_Error_RegisterCallback(silence, NULL);
    OTF2_Reader *reader = open_archive(words[1]);
    OTF2_Reader_GetCreator(reader, &creator);
    pool.definitions.is_ours = creator && !strncmp(creator, "advisor", 7);
    pool.definitions.by_member =
        pool.definitions.is_ours ||
        (creator && !strncmp(creator, "Score-P", 7)); /* ours counts as Score-P does */
    definitions_read(&pool.definitions, reader);
    pool_start_workers(&pool, (unsigned)atoi(words[3]));
    keep_steps();
    pool_open(&pool, reader);
    pool_read(&pool);
    pool_collect(&pool);
    if (!pool.place)
        profile_write(
            &pool.definitions,
            &(struct results){ pool.ranks, pool.worker[0].slices, pool.slicing, &pool.path },
            creator ? creator : "", words[2]);
    group_end();
    _exit(0); /* the library takes long to give all memory back */
}
