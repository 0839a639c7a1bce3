/* restricted WHEN RANK HOW [NAME …]: rank RANK (-1: all) restricts its own process, before MPI_Init
 * or between two halves of its calls. Then a thread calls MPI as well. */
#define _GNU_SOURCE
#include <mpi.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name) { #name, SYS_##name }
static const struct {
    const char *name;
    int number;
} calls[] = {
    CALL(openat),          CALL(fallocate),   CALL(ftruncate),
    CALL(readlinkat),      CALL(getdents64),  CALL(getrusage),
    CALL(prlimit64),       CALL(lseek),       CALL(process_vm_readv),
    CALL(getsockopt),      CALL(getsockname), CALL(getpeername),
    CALL(statfs),          CALL(fcntl),       CALL(pread64),
    CALL(pwrite64),        CALL(kill),        CALL(getpid),
    CALL(unlinkat),        CALL(renameat2),   CALL(prctl),
    CALL(clock_nanosleep),
#ifdef SYS_rename
    CALL(rename),          CALL(unlink),      CALL(readlink),
#endif
};

static int number_of(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, name))
            return calls[i].number;
    return -1;
}

/* The process ends at the first of these calls. */
static void forbid(int count, char **names)
{
    struct sock_filter filter[64] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                               offsetof(struct seccomp_data, nr)) };
    unsigned short length = 1;
    for (int i = 0; i < count; i++) {
        if (number_of(names[i]) < 0)
            continue;
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                        (unsigned)number_of(names[i]), 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){ length, filter }))
        exit(77);
}

static void limit(int what, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now))
        exit(77);
    now.rlim_cur = most;
    if (setrlimit(what, &now))
        exit(77);
}

static void restrict_it(int words, char **word)
{
    if (!strcmp(word[0], "calls"))
        forbid(words - 1, word + 1);
    if (!strcmp(word[0], "size"))
        limit(RLIMIT_FSIZE, 0);
    if (!strcmp(word[0], "files"))
        limit(RLIMIT_NOFILE, 3);
    if (!strcmp(word[0], "environment"))
        clearenv();
    for (int file = 100; !strcmp(word[0], "close") && file < 1024; file++)
        close(file);
}

static void *work(void *unused)
{
    int one = 1, sum;
    for (int i = 0; i < 13; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return unused;
}

int main(int words, char **word)
{
    const int who = atoi(word[2]);
    int rank, provided;
    pthread_t thread;
    if (!strcmp(word[1], "before"))
        restrict_it(words - 3, word + 3);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    work(NULL);
    if (!strcmp(word[1], "after") && (who < 0 || rank == who))
        restrict_it(words - 3, word + 3);
    work(NULL);
    if (!pthread_create(&thread, NULL, work, NULL))
        pthread_join(thread, NULL);
    MPI_Finalize();
    if (rank == 0)
        printf("done\n");
    return 0;
}
