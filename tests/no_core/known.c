/* Programs that know how long they had no core: each rank reads its own schedstat around every call
 * of MPI and prints what it saw.
 *
 *   known compute STEPS    every rank computes 20 ms of CPU time a step, then a reduction
 *   known wait STEPS       rank 0 computes, all others wait in the reduction
 *   known sleep STEPS      rank 0 sleeps 20 ms outside MPI, as in blocking input or output
 *   known stopped STEPS    rank 0 is stopped for 30 ms (SIGSTOP) every 100 ms, by a process of its
 * own
 *
 * FORGET=1 puts another file in the place of every descriptor of schedstat that is open after
 * MPI_Init, as programs do that close what they find. HELPER=5 adds a thread that computes for 5 %
 * of the time, as a library's may. RIVALS=0:2,1:1 starts two busy loops on the core of rank 0 and
 * one on that of rank 1; ranks are bound to cores 0, 1, … then. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

struct reading {
    double time, run, delay;
};
static struct reading last, inside, outside;
static int file, rank;

static double seconds(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static struct reading take(void)
{
    char text[96] = "", *rest;
    if (pread(file, text, sizeof text - 1, 0) < 5)
        exit(77);
    strtoull(text, &rest, 10);
    return (struct reading){ seconds(CLOCK_MONOTONIC), seconds(CLOCK_THREAD_CPUTIME_ID),
                             (double)strtoull(rest, NULL, 10) * 1e-9 };
}

static void count(struct reading *part)
{
    const struct reading now = take();
    part->time += now.time - last.time;
    part->run += now.run - last.run;
    part->delay += now.delay - last.delay;
    last = now;
}

static void reduce(void)
{
    int one = 1, sum;
    count(&outside);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    count(&inside);
}

static void compute(double time)
{
    const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + time;
    while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}

static void *help(void *percent)
{
    const double share = atof(percent) / 100;
    for (;;) {
        compute(0.02 * share);
        if (share < 1)
            usleep((useconds_t)(20000 * (1 - share)));
    }
    return NULL;
}

static void bind_to(int cpu)
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
}

static void until_parent_ends(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == 1)
        _exit(0);
}

static void rivals(const char *wish)
{
    for (; wish && *wish; wish += strcspn(wish, ","), wish += *wish == ',') {
        int whose = 0, number = 0;
        sscanf(wish, "%d:%d", &whose, &number);
        for (int i = 0; i < number && whose == rank; i++)
            if (!fork()) {
                until_parent_ends();
                for (volatile unsigned long turns = 0;; turns++) {
                }
            }
    }
}

static void stopper(void)
{
    if (fork())
        return;
    until_parent_ends();
    for (;;) {
        usleep(70000);
        kill(getppid(), SIGSTOP);
        usleep(30000);
        kill(getppid(), SIGCONT);
    }
}

static void forget(void)
{
    char path[64], name[256];
    for (int number = 3; number < 1024; number++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", number);
        const ssize_t length = readlink(path, name, sizeof name - 1);
        if (length > 9 && !memcmp(name + length - 9, "schedstat", 9)) {
            const int other = open("/proc/self/cmdline", O_RDONLY);
            dup2(other, number);
            close(other);
        }
    }
}

/* Which rank it will be is known before MPI_Init from the launcher alone: that is when forking is
 * safe. */
static int rank_before(void)
{
    const char *names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK" };
    for (int i = 0; i < 3; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i]));
    return 0;
}

int main(int words, char **word)
{
    const char *how = words > 1 ? word[1] : "compute";
    const int steps = words > 2 ? atoi(word[2]) : 20;
    rank = rank_before();
    if (getenv("RIVALS"))
        bind_to(rank);
    rivals(getenv("RIVALS"));
    if (!strcmp(how, "stopped") && !rank)
        stopper();
    MPI_Init(&words, &word);
    if (getenv("FORGET"))
        forget();
    pthread_t helper;
    if (getenv("HELPER") && pthread_create(&helper, NULL, help, getenv("HELPER")))
        return 1;
    file = open("/proc/thread-self/schedstat", O_RDONLY);
    last = take();
    for (int step = 0; step < steps; step++) {
        if (!strcmp(how, "sleep") && !rank)
            usleep(20000);
        else if (strcmp(how, "wait") || !rank)
            compute(0.02);
        reduce();
    }
    count(&outside);
    MPI_Finalize();
    printf("rank %d inside %.6f %.6f %.6f outside %.6f %.6f %.6f\n", rank, inside.time, inside.run,
           inside.delay, outside.time, outside.run, outside.delay);
    return 0;
}
