#include "errors.h"
#include "abort.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char archive[256];
static __thread OTF2_EvtReader *at_hand;
static __thread const char *where_at_hand;
static pthread_mutex_t last_words = PTHREAD_MUTEX_INITIALIZER;

void archive_is_at(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(archive, sizeof archive, "%.*s", (int)strcspn(name, "."), name);
}

const char *archive_name(void)
{
    return archive;
}

void now_reads(OTF2_EvtReader *reader, const char *where)
{
    at_hand = reader;
    where_at_hand = where;
}

static void say_where(void)
{
    OTF2_LocationRef location = 0;
    uint64_t event = 0;
    if (at_hand && OTF2_EvtReader_GetLocationID(at_hand, &location) == OTF2_SUCCESS &&
        OTF2_EvtReader_GetPos(at_hand, &event) == OTF2_SUCCESS)
        printf(" (%s event %llu of %s/%llu.evt)", where_at_hand, (unsigned long long)event, archive,
               (unsigned long long)location);
}

/* The lock is kept: what other threads would say comes too late. */
void die(const char *format, ...)
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

void *xrealloc(void *old, size_t count, size_t size)
{
    void *room = count < SIZE_MAX / 2 / (size + 1) ? realloc(old, count * size + 1) : NULL;
    if (!room)
        die("it takes more memory than there is");
    return room;
}

void *xcalloc(size_t count, size_t size)
{
    return memset(xrealloc(NULL, count, size), 0, count * size);
}
