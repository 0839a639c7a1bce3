/* Requests and probed messages that are open: a table of open addressing, at most half full. */
#define _GNU_SOURCE
#include "traced_table.h"
#include <sched.h>
#include <stddef.h>

enum { ROOM = 1 << 17 }; /* home() takes 17 bits */
static struct traced table[ROOM];
static unsigned used, busy;
static uint64_t lost;

static uint64_t requests_started; /* its number is the request's */

uint64_t trace_next_request(void)
{
    return __atomic_add_fetch(&requests_started, 1, __ATOMIC_RELAXED);
}

static void take(void)
{
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void leave(void)
{
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}
static size_t home(uint64_t key)
{
    return (size_t)(key * 0x9E3779B97F4A7C15ull >> 47);
}

static struct traced *find(uint64_t key)
{
    size_t at = home(key);
    while (table[at].key && table[at].key != key)
        at = (at + 1) & (ROOM - 1);
    return table[at].key ? &table[at] : NULL;
}

static void add(const struct traced *fresh)
{
    size_t at = home(fresh->key);
    if (used >= ROOM / 2) {
        lost++;
        return;
    }
    while (table[at].key)
        at = (at + 1) & (ROOM - 1);
    table[at] = *fresh;
    used++;
}

/* Those behind it that were pushed on move back. */
static void drop(struct traced *gone)
{
    size_t at = (size_t)(gone - table), next = at;
    while (table[next = (next + 1) & (ROOM - 1)].key) {
        if (((next - home(table[next].key)) & (ROOM - 1)) < ((next - at) & (ROOM - 1)))
            continue;
        table[at] = table[next];
        at = next;
    }
    table[at].key = 0;
    used--;
}

void traced_remember(const struct traced *made)
{
    take();
    add(made);
    leave();
}

int traced_start(uint64_t key, struct trace_event *start)
{
    take();
    struct traced *found = find(key);
    const int is_there = found && found->kept;
    if (is_there) {
        found->active = 1;
        found->start.request = trace_next_request();
        *start = found->start;
    }
    leave();
    return is_there;
}

int traced_forget(uint64_t key, struct traced *was)
{
    take();
    struct traced *found = find(key);
    if (found) {
        *was = *found;
        if (found->kept)
            found->active = 0;
        else
            drop(found);
    }
    leave();
    return found != NULL;
}

void traced_drop(uint64_t key)
{
    take();
    struct traced *found = find(key);
    if (found)
        drop(found);
    leave();
}

uint64_t trace_lost_requests(void)
{
    return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}
