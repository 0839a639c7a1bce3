#define _GNU_SOURCE
#include "run_delay.h"
#include "clock.h"
#include "events.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Seconds between two readings, and from a reading at the begin of a call to the next: a call
 * behind a long gap is mostly the one that the gap made others wait for, and so is worth telling
 * apart earlier. Schedulers take a core away for some milliseconds, which neither hides; two
 * readings take 1 us each, a thousandth of the time. */
#define BETWEEN_READINGS 2e-3
#define AFTER_A_GAP      0.5e-3

enum { OUTSIDE, INSIDE };

/* Ticks and nanoseconds. */
struct reading {
    uint64_t ticks, run, delay;
};

static struct {
    struct block *block; /* NULL: nothing is counted */
    int file;            /* /proc/thread-self/schedstat */
    int told;            /* 0: the kernel does not tell the delay, or does no more */
    struct reading last;
    uint64_t between, after_gap;
    double seconds_per_tick;
} now = { .file = -1 };

/* A filter of system calls may end the process at a reading, and only a system call would tell of
 * it. Who may set one without being root has said so by PR_SET_NO_NEW_PRIVS before, libseccomp as
 * well: from then on nothing is read. What libc does itself is not seen, and goes on as it was. */
static int stopped;

__attribute__((visibility("default"))) int prctl(int option, ...)
{
    va_list rest;
    va_start(rest, option);
    const unsigned long second = va_arg(rest, unsigned long), third = va_arg(rest, unsigned long),
                        fourth = va_arg(rest, unsigned long), fifth = va_arg(rest, unsigned long);
    va_end(rest);
    if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
        __atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
    return (int)syscall(SYS_prctl, option, second, third, fourth, fifth);
}

/* For good: the sums end here, and so are no more than what is known of a part of the run. */
static int has_stopped(struct block *block)
{
    if (!__atomic_load_n(&stopped, __ATOMIC_RELAXED))
        return 0;
    block->delay_at = 0;
    block_deadline(block);
    record->rank.run_delay_reported = 0;
    return 1;
}

static const char *number(const char *digit, uint64_t *value)
{
    for (*value = 0; (unsigned char)(*digit - '0') < 10; digit++)
        *value = 10 * *value + (unsigned char)(*digit - '0');
    return digit;
}

/* The second of three numbers. A program that closes all descriptors it finds may have another file
 * there by now: then it is nobody's business any more. */
static int take_delay(uint64_t *delay)
{
    char text[96];
    const ssize_t length = pread(now.file, text, sizeof text - 1, 0);
    if (length < 6 || text[length - 1] != '\n')
        return 0;
    uint64_t run;
    const char *rest = number(text, &run);
    if (!run || *rest != ' ')
        return 0;
    rest = number(rest + 1, delay);
    return *rest == ' ' && *delay >= now.last.delay;
}

/* The first number of the file is as old as the last tick of the kernel; the clock is not. */
static struct reading take(void)
{
    struct reading reading = { 0, now.last.run, now.last.delay };
    struct timespec run;
    if (now.told && !take_delay(&reading.delay)) {
        now.told = 0; /* not closed: who knows whose it is */
        now.file = -1;
        reading.delay = now.last.delay;
    }
    if (!clock_gettime(CLOCK_THREAD_CPUTIME_ID, &run))
        reading.run = (uint64_t)run.tv_sec * 1000000000u + (uint64_t)run.tv_nsec;
    if (reading.run < now.last.run) /* another thread goes on in this block */
        reading.run = now.last.run;
    reading.ticks = clock_ticks();
    return reading;
}

static void set_deadline(uint64_t ticks)
{
    now.block->delay_at = now.last.ticks + ticks;
    block_deadline(now.block);
}

void run_delay_start(struct block *block)
{
    if (now.block || !record)
        return;
    now.block = block;
    now.file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    now.told = now.file >= 0;
    now.seconds_per_tick = record->rank.seconds_per_tick;
    now.between = (uint64_t)(BETWEEN_READINGS / now.seconds_per_tick);
    now.after_gap = (uint64_t)(AFTER_A_GAP / now.seconds_per_tick);
    now.last = take();
    record->rank.run_delay_reported = (uint32_t)now.told;
    set_deadline(now.between);
}

/* What was counted since the last reading belongs to `side`, and to the slices of time from `from`
 * to `to`. Where the kernel does not tell the delay, what is missing in the time of the processor
 * may have been either: all of it stands as delay, and run_delay_reported says so. */
static void read_for(int side, uint64_t from, uint64_t to)
{
    const struct reading next = take();
    struct rank_record *rank = &record->rank;
    const double elapsed = (double)(next.ticks - now.last.ticks) * now.seconds_per_tick;
    double delay = (double)(next.delay - now.last.delay) * 1e-9,
           asleep = elapsed - delay - (double)(next.run - now.last.run) * 1e-9;
    if (!now.told) {
        delay = delay + asleep > 0 ? delay + asleep : 0;
        asleep = 0;
        rank->run_delay_reported = 0;
    }
    *(side == INSIDE ? &rank->no_core_inside : &rank->no_core_outside) += delay;
    *(side == INSIDE ? &rank->asleep_inside : &rank->asleep_outside) += asleep;
    phases_delayed(now.block, side == INSIDE, from, to, (uint64_t)(delay / now.seconds_per_tick));
    now.last = next;
}

void run_delay_entry(struct block *block)
{
    if (block != now.block || block->begin < block->delay_at || has_stopped(block))
        return;
    read_for(OUTSIDE, block->previous, block->begin);
    set_deadline(now.after_gap);
}

void run_delay_exit(struct block *block)
{
    if (block != now.block || has_stopped(block))
        return;
    read_for(INSIDE, block->begin, block->last);
    set_deadline(now.between);
}

void run_delay_end(const struct block *block)
{
    if (!now.block || block != now.block)
        return;
    if (!has_stopped(now.block))
        read_for(OUTSIDE, now.block->last, clock_ticks());
    now.block = NULL;
    if (now.file >= 0 && !stopped)
        close(now.file);
    now.file = -1;
}
