/* Neither a thread nor a fork. A thread that waits for a dead file system can keep its process from
 * ending; fork copies the page tables of a large rank, and calls handlers of the network libraries.
 * This process is no child that the program could see: it sends no signal, and only __WCLONE finds
 * it. */
#define _GNU_SOURCE
#include "bounded.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436 /* the same on all processors */
#endif

enum { STACK = 256 << 10, SHORTEST = 50000, LONGEST = 2000000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct task {
    int (*work)(void *argument);
    void *argument;
};

/* Whoever waits for the end of a pipe that the program has would wait for this process too. */
static void close_all(void)
{
    enum { MOST = 1024 };
    if (syscall(SYS_close_range, 0, ~0U, 0))
        for (int file = 0; file < MOST; file++)
            close(file);
}

static int run(void *given)
{
    const struct task task = *(struct task *)given;
    close_all();
    return task.work(task.argument);
}

/* No signal of the program's may be handled there. */
static pid_t start(const struct task *task, char *stack)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = clone(run, stack + STACK, CLONE_VM, (void *)task);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child;
}

static int wait_for(pid_t child, double seconds)
{
    const double end = now() + seconds;
    int status = 0;
    for (long pause = SHORTEST; waitpid(child, &status, WNOHANG | __WCLONE) == 0;
         pause = pause < LONGEST ? 2 * pause : pause) {
        if (now() > end) {
            kill(child, SIGKILL);
            return -1;
        }
        nanosleep(&(struct timespec){ 0, pause }, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int bounded(int (*work)(void *argument), void *argument, double seconds)
{
    const int error = errno;
    char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    int found = -1;
    if (stack == MAP_FAILED)
        return -1;
    const struct task task = { work, argument };
    const pid_t child = start(&task, stack);
    if (child > 0)
        found = wait_for(child, seconds);
    /* One that did not end in time may still be on its stack. */
    if (child < 0 || found >= 0)
        munmap(stack, STACK);
    errno = error;
    return found;
}
