/* Reads an OTF2 archive, and writes what was counted in it as a profile.
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
#include "crew.h"
#include "group.h"
#include <otf2/OTF2_Pthread_Locks.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct crew crew;
static __thread const struct stream *at_hand;
static __thread const char *where_at_hand;
static pthread_mutex_t last_words = PTHREAD_MUTEX_INITIALIZER;

void now_reads(const struct stream *stream, const char *where)
{
    at_hand = stream;
    where_at_hand = where;
}

static void say_where(void)
{
    uint64_t event = 0;
    if (at_hand && OTF2_EvtReader_GetPos(at_hand->reader, &event) == OTF2_SUCCESS)
        printf(" (%s event %llu of %.*s/%llu.evt)", where_at_hand, (unsigned long long)event,
               crew.definitions.name_length, crew.definitions.name,
               (unsigned long long)at_hand->location);
}

void refuse(const char *format, ...)
{
    va_list list;
    pthread_mutex_lock(&last_words);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    say_where();
    putchar('\n');
    fflush(stdout);
    group_abort();
}

void *room_for(void *old, size_t count, size_t size)
{
    void *room = count < SIZE_MAX / 2 / (size + 1) ? realloc(old, count * size + 1) : NULL;
    if (!room)
        refuse("it takes more memory than there is");
    return room;
}

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
        refuse("its first file is damaged, or parts of it are missing");
    if (OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS ||
        OTF2_Pthread_Reader_SetLockingCallbacks(reader, NULL) != OTF2_SUCCESS)
        refuse("its first file is damaged, or of a kind that the library here cannot read");
    return reader;
}

/* Its files are called as its first one, without the ending. */
static void name_archive(const char *path)
{
    const char *slash = strrchr(path, '/');
    crew.definitions.name = slash ? slash + 1 : path;
    crew.definitions.name_length = (int)strcspn(crew.definitions.name, ".");
}

static void bound(rlim_t memory)
{
    struct rlimit limit = { memory, memory };
    if (memory)
        setrlimit(RLIMIT_AS, &limit);
    signal(SIGALRM, no_progress);
    alarm((unsigned)crew.patience);
}

/* Steps of the critical path are kept where temporary files are, for as long as this runs. */
static void keep_steps(void)
{
    const char *folder = getenv("TMPDIR");
    crew.path.is_lost = !steps_open(folder && *folder ? folder : "/tmp");
}

int main(int count, char **words)
{
    if (count != 6)
        return fprintf(stderr, "usage: otf2-profile ARCHIVE PROFILE THREADS MEMORY SECONDS\n"), 2;
    char *creator = NULL;
    group_begin();
    name_archive(words[1]);
    crew.patience = strtoull(words[5], NULL, 10);
    bound(strtoull(words[4], NULL, 10));
    OTF2_Error_RegisterCallback(silence, NULL);
    OTF2_Reader *reader = open_archive(words[1]);
    OTF2_Reader_GetCreator(reader, &creator);
    crew.definitions.is_ours = creator && !strncmp(creator, "advisor", 7);
    crew.definitions.by_member =
        crew.definitions.is_ours ||
        (creator && !strncmp(creator, "Score-P", 7)); /* ours counts as Score-P does */
    definitions_read(&crew.definitions, reader);
    crew_hire(&crew, (unsigned)atoi(words[3]));
    keep_steps();
    crew_open(&crew, reader);
    crew_read(&crew);
    crew_collect(&crew);
    if (!crew.place)
        profile_write(
            &crew.definitions,
            &(struct results){ crew.ranks, crew.worker[0].slices, crew.slicing, &crew.path },
            creator ? creator : "", words[2]);
    group_end();
    _exit(0); /* the library takes long to give all memory back */
}
