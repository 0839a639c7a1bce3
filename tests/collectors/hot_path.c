/* hot_path count: allocations and locks of many calls, beside those of none.  hot_path forbid: dies
 * at any system call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread volatile long allocations,
    locks; /* of this thread: a library's own threads do what they like */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}
void *calloc(size_t number, size_t size)
{
    allocations++;
    return __libc_calloc(number, size);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*next)(pthread_mutex_t *);
    if (!next)
        next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    locks++;
    return next(mutex);
}

static void calls(int number)
{
    int one = 1, sum, flag;
    for (int i = 0; i < number; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        MPI_Send(&one, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_SELF);
        MPI_Initialized(&flag);
    }
}

static void forbid(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { sizeof rules / sizeof *rules, rules };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        _exit(77);
}

int main(int words, char **word)
{
    MPI_Init(&words, &word);
    calls(100);
    if (words > 1 && !strcmp(word[1], "forbid")) {
        forbid();
        calls(10000);
        if (write(1, "quiet\n", 6) != 6)
            _exit(1);
        _exit(0);
    }
    long before = allocations, held = locks;
    calls(10000);
    printf("%ld %ld\n", allocations - before, locks - held);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
