#include "errors.h"
#include "abort.h"
#include "stream.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const struct definitions *definitions = at_hand ? at_hand->definitions : NULL;
    uint64_t event = 0;
    if (at_hand && OTF2_EvtReader_GetPos(at_hand->reader, &event) == OTF2_SUCCESS)
        printf(" (%s event %llu of %.*s/%llu.evt)", where_at_hand, (unsigned long long)event, definitions->name_length, definitions->name,
               (unsigned long long)at_hand->location);
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

void *xcalloc(size_t count, size_t size) { return memset(xrealloc(NULL, count, size), 0, count * size); }
