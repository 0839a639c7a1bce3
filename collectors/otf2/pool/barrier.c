/* Where threads wait for each other, mostly for less time than it takes to fall asleep and be
 * woken: on a virtual machine that is ten to a hundred microseconds, and a round of reading takes
 * two hundred. So they look for a while first, where each has a processor of its own. */
#define _GNU_SOURCE
#include "barrier.h"
#include <sched.h>

enum { LOOKS = 1 << 12 }; /* some 60 to 200 µs */

static unsigned processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

void barrier_begin(struct barrier *barrier, unsigned threads)
{
    *barrier =
        (struct barrier){ .expected = threads, .looks = threads <= processors() ? LOOKS : 0 };
    pthread_mutex_init(&barrier->lock, NULL);
    pthread_cond_init(&barrier->over, NULL);
}

static int is_over(const struct barrier *barrier, unsigned turn)
{
    return __atomic_load_n(&barrier->turn, __ATOMIC_ACQUIRE) != turn;
}

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static void end(struct barrier *barrier, unsigned turn)
{
    barrier->arrived = 0;
    pthread_mutex_lock(&barrier->lock);
    __atomic_store_n(&barrier->turn, turn + 1, __ATOMIC_RELEASE);
    if (barrier->asleep)
        pthread_cond_broadcast(&barrier->over);
    pthread_mutex_unlock(&barrier->lock);
}

static void sleep_until_over(struct barrier *barrier, unsigned turn)
{
    pthread_mutex_lock(&barrier->lock);
    barrier->asleep++;
    while (!is_over(barrier, turn))
        pthread_cond_wait(&barrier->over, &barrier->lock);
    barrier->asleep--;
    pthread_mutex_unlock(&barrier->lock);
}

void barrier_wait(struct barrier *barrier)
{
    const unsigned turn = __atomic_load_n(&barrier->turn, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&barrier->arrived, 1, __ATOMIC_ACQ_REL) == barrier->expected) {
        end(barrier, turn);
        return;
    }
    for (unsigned look = 0; look < barrier->looks && !is_over(barrier, turn); look++)
        relax();
    if (!is_over(barrier, turn))
        sleep_until_over(barrier, turn);
}
