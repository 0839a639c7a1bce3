#define _GNU_SOURCE
#include "pieces.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>

struct helper {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct piece *work; /* NULL: none, or done */
    int leave;
};

static struct helper helpers[MOST_PIECES - 1];
static int running;
static cpu_set_t cores; /* of the process when MPI began */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER, busy = PTHREAD_MUTEX_INITIALIZER;

static void *help(void *mine)
{
    struct helper *self = mine;
    pthread_mutex_lock(&self->lock);
    while (!self->leave) {
        if (!self->work) {
            pthread_cond_wait(&self->changed, &self->lock);
            continue;
        }
        pthread_mutex_unlock(&self->lock);
        piece_reduce(self->work);
        pthread_mutex_lock(&self->lock);
        self->work = NULL;
        pthread_cond_broadcast(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

/* OpenMP binds the thread that calls us to one core at its first parallel region, and new threads
 * inherit that. */
void threads_begin(void)
{
    if (sched_getaffinity(0, sizeof cores, &cores))
        CPU_ZERO(&cores);
}

/* Signals are for the threads of the program: its handlers may ask which one they run in. */
static int start(struct helper *helper)
{
    sigset_t all, before;
    pthread_mutex_init(&helper->lock, NULL);
    pthread_cond_init(&helper->changed, NULL);
    helper->leave = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&helper->thread, NULL, help, helper);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed && CPU_COUNT(&cores))
        pthread_setaffinity_np(helper->thread, sizeof cores, &cores);
    return !failed;
}

int threads_ready(int wanted)
{
    pthread_mutex_lock(&starting);
    while (running < wanted && start(&helpers[running]))
        running++;
    int ready = running >= wanted;
    pthread_mutex_unlock(&starting);
    return ready;
}

static void give(struct helper *helper, struct piece *piece)
{
    pthread_mutex_lock(&helper->lock);
    helper->work = piece;
    pthread_cond_broadcast(&helper->changed);
    pthread_mutex_unlock(&helper->lock);
}

static void await(struct helper *helper)
{
    pthread_mutex_lock(&helper->lock);
    while (helper->work)
        pthread_cond_wait(&helper->changed, &helper->lock);
    pthread_mutex_unlock(&helper->lock);
}

/* A caller that waited for the threads could wait for ever: two ranks may serve two communicators
 * in different order. One piece after the other needs no thread, and the other ranks need not know.
 */
void threads_reduce(struct piece *pieces, int count)
{
    if (pthread_mutex_trylock(&busy)) {
        for (int i = 0; i < count; i++)
            piece_reduce(&pieces[i]);
        return;
    }
    for (int i = 1; i < count; i++)
        give(&helpers[i - 1], &pieces[i]);
    piece_reduce(&pieces[0]);
    for (int i = 1; i < count; i++)
        await(&helpers[i - 1]);
    pthread_mutex_unlock(&busy);
}

void threads_leave(void)
{
    pthread_mutex_lock(&starting);
    for (; running > 0; running--) {
        struct helper *last = &helpers[running - 1];
        pthread_mutex_lock(&last->lock);
        last->leave = 1;
        pthread_cond_broadcast(&last->changed);
        pthread_mutex_unlock(&last->lock);
        pthread_join(last->thread, NULL);
    }
    pthread_mutex_unlock(&starting);
}
