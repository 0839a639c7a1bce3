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
#include <sys/wait.h>
#include <time.h>

enum { STACK = 256 << 10, SHORTEST = 50000, LONGEST = 2000000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* No signal of the program's may be handled there. */
static pid_t start(int (*work)(void *argument), void *argument, char *stack)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = clone(work, stack + STACK, CLONE_VM, argument);
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
    const pid_t child = start(work, argument, stack);
    if (child > 0)
        found = wait_for(child, seconds);
    /* One that did not end in time may still be on its stack. */
    if (child < 0 || found >= 0)
        munmap(stack, STACK);
    errno = error;
    return found;
}
