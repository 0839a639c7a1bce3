/* many TOPIC [NUMBER]: very many of something, each counted by the test. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int rank, size, number;
static const char *program;

enum { THREADS = 6 };

/* Each thread has a communicator of its own, and makes others with types and requests. */
static void *thread(void *at)
{
    MPI_Comm own = *(MPI_Comm *)at, more;
    MPI_Datatype pair;
    MPI_Request requests[2];
    int mine = rank, theirs, other = rank ^ 1;
    for (int i = 0; i < number; i++) {
        MPI_Allreduce(&mine, &theirs, 1, MPI_INT, MPI_SUM, own);
        if (other < size) {
            MPI_Irecv(&theirs, 1, MPI_INT, other, i & 7, own, &requests[0]);
            MPI_Isend(&mine, 1, MPI_INT, other, i & 7, own, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        if (i % 10)
            continue;
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_commit(&pair);
        MPI_Bcast(at, 0, pair, 0, own);
        MPI_Type_free(&pair);
        MPI_Comm_dup(own, &more);
        MPI_Comm_set_name(more, i & 1 ? "odd" : "even");
        MPI_Barrier(more);
        MPI_Comm_free(&more);
        MPI_Send_init(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, own, &requests[0]);
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Request_free(&requests[0]);
        MPI_Pcontrol(1);
    }
    return NULL;
}

/* Twice: the second threads take over what the first have left. */
static void threads(void)
{
    static MPI_Comm own[THREADS];
    pthread_t made[THREADS];
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&made[i], NULL, thread, &own[i]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(made[i], NULL);
    }
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&own[i]);
}

static void communicators(void)
{
    MPI_Comm made;
    for (int i = 0; i < number; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &made);
        MPI_Comm_free(&made);
    }
}

/* Each has other members than the one before: subsets of the world, by the bits of i. */
static void subsets(void)
{
    MPI_Comm made;
    for (int i = 0; i < number; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, i >> rank & 1, (i * 7 + rank * 5) % 11, &made);
        MPI_Barrier(made);
        MPI_Comm_free(&made);
    }
}

static void requests(void)
{
    MPI_Request *all = malloc(2 * (size_t)number * sizeof *all);
    MPI_Status *statuses = malloc(2 * (size_t)number * sizeof *statuses);
    int *in = calloc((size_t)number, sizeof *in), flag, next = (rank + 1) % size,
        before = (rank + size - 1) % size;
    for (int i = 0; i < number; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, before, i & 1023, MPI_COMM_WORLD, &all[i]);
    for (int i = 0; i < number; i++)
        MPI_Isend(&next, 1, MPI_INT, next, i & 1023, MPI_COMM_WORLD, &all[number + i]);
    MPI_Testall(2 * number, all, &flag, statuses);
    if (!flag)
        MPI_Waitall(2 * number, all, statuses);
    MPI_Waitall(2 * number, all, MPI_STATUSES_IGNORE);
    free(all);
    free(statuses);
    free(in);
}

static void cancelled(void)
{
    MPI_Request request;
    MPI_Status status;
    int in = 0, done = 0, flag;
    for (int i = 0; i < number; i++) {
        MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        done += flag;
        MPI_Recv_init(&in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &request);
        MPI_Request_free(&request);
        MPI_Send_init(&in, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_SELF, &request);
        MPI_Start(&request);
        MPI_Request_free(&request);
    }
    printf("cancelled %d\n", done);
}

/* Code that does nothing but call `function` from an address of its own. */
static void sites(void)
{
#if defined(__x86_64__)
    enum { STEP = 32 };
    static const unsigned char code[] = { 0x48, 0x83, 0xec, 8,    0x48, 0xb8, 0,    0,    0, 0,   0,
                                          0,    0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3 };
    int (*function)(MPI_Comm, int *) = MPI_Comm_size, found = 0;
    unsigned char *page = mmap(NULL, (size_t)number * STEP, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < number; i++) {
        memcpy(page + (size_t)i * STEP, code, sizeof code);
        memcpy(page + (size_t)i * STEP + 6, &function, sizeof function);
    }
    for (int i = 0; i < number; i++)
        ((int (*)(MPI_Comm, int *))(void *)(page + (size_t)i * STEP))(MPI_COMM_SELF, &found);
#endif
}

static void between(MPI_Comm inter)
{
    int one = 1, sum = 0, peer;
    MPI_Comm_rank(inter, &peer);
    for (int i = 0; i < number; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    MPI_Sendrecv(&one, 1, MPI_INT, peer, 3, &sum, 1, MPI_INT, peer, 3, inter, MPI_STATUS_IGNORE);
    printf("between %d\n", sum);
}

static void halves(void)
{
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank & 1, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - (rank & 1), 5, &inter);
    between(inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void spawn(void)
{
    char topic[] = "child", count[16], *arguments[] = { topic, count, NULL };
    MPI_Comm children;
    snprintf(count, sizeof count, "%d", number);
    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                   MPI_ERRCODES_IGNORE);
    between(children);
    MPI_Comm_disconnect(&children);
}

static void child(void)
{
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    between(parent);
    MPI_Comm_disconnect(&parent);
}

static void connect_halves(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank > 1)
        return;
    if (rank == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    between(inter);
    MPI_Comm_disconnect(&inter);
    if (rank == 0)
        MPI_Close_port(port);
}

int main(int words, char **word)
{
    static const struct {
        const char *name;
        void (*call)(void);
    } topics[] = { { "threads", threads },     { "communicators", communicators },
                   { "subsets", subsets },     { "requests", requests },
                   { "cancelled", cancelled }, { "sites", sites },
                   { "halves", halves },       { "spawn", spawn },
                   { "child", child },         { "connect", connect_halves } };
    int provided;
    const char *topic = word[1];
    number = words > 2 ? atoi(word[2]) : 1;
    program = word[0];
    MPI_Init_thread(&words, &word,
                    !strcmp(topic, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (!strcmp(topic, topics[i].name))
            topics[i].call();
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
