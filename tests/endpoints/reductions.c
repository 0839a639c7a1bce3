/* Every kind of MPI_Allreduce against MPI_Reduce and MPI_Bcast, which the library under test leaves
 * alone. Values are whole numbers that every type holds exactly, so that the order of additions
 * does not matter. Rank 0 prints what it checked. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5003, ROOM = MOST * 32 };
static char in[ROOM], out[ROOM], wanted[ROOM];
static int checked, wrong;

struct kind {
    const char *name;
    MPI_Datatype type;
    int whole, bytes;
};
struct pair {
    double value;
    int place;
};

/* 1 and 2 keep products of four ranks small; places of MAXLOC tell ranks apart. */
static void fill(const struct kind *kind, int count, int rank)
{
    memset(in, 0, sizeof in);
    for (int i = 0; i < count; i++) {
        int value = 1 + (i * 7 + rank * 3) % 2;
        char *at = in + (size_t)i * kind->bytes;
        if (kind->type == MPI_DOUBLE_INT)
            *(struct pair *)at = (struct pair){ value, rank };
        else if (kind->type == MPI_DOUBLE || kind->type == MPI_C_DOUBLE_COMPLEX)
            *(double *)at = value;
        else if (kind->type == MPI_FLOAT)
            *(float *)at = (float)value;
        else if (kind->type == MPI_LONG)
            *(long *)at = value;
        else if (kind->type == MPI_SHORT)
            *(short *)at = (short)value;
        else if (kind->type == MPI_UNSIGNED_CHAR)
            *(unsigned char *)at = (unsigned char)value;
        else
            *(int *)at = value;
    }
}

static void compare(const struct kind *kind, int count, MPI_Op op, MPI_Comm comm, int in_place,
                    const char *what)
{
    int rank, bytes = count * kind->bytes;
    MPI_Comm_rank(comm, &rank);
    fill(kind, count, rank);
    memset(wanted, 0, sizeof wanted);
    memset(out, 0, sizeof out);
    MPI_Reduce(in, wanted, count, kind->type, op, 0, comm);
    MPI_Bcast(wanted, count, kind->type, 0, comm);
    if (in_place)
        memcpy(out, in, sizeof out);
    MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, count, kind->type, op, comm);
    checked++;
    if (kind->type ==
        MPI_DOUBLE_INT) /* between value and next value lie bytes that belong to nobody */
        for (int i = 0; i < count; i++)
            wrong += ((struct pair *)out)[i].value != ((struct pair *)wanted)[i].value ||
                     ((struct pair *)out)[i].place != ((struct pair *)wanted)[i].place;
    else if (memcmp(out, wanted, (size_t)bytes)) {
        wrong++;
        printf("%s: %s, %d elements, in place %d, rank %d\n", what, kind->name, count, in_place,
               rank);
    }
}

static void all_kinds(MPI_Comm comm, int few, const char *what)
{
    const struct kind kinds[] = {
        { "int", MPI_INT, 1, sizeof(int) },
        { "long", MPI_LONG, 1, sizeof(long) },
        { "short", MPI_SHORT, 1, sizeof(short) },
        { "unsigned char", MPI_UNSIGNED_CHAR, 1, 1 },
        { "float", MPI_FLOAT, 0, sizeof(float) },
        { "double", MPI_DOUBLE, 0, sizeof(double) },
        { "complex", MPI_C_DOUBLE_COMPLEX, -1, 16 },
        { "double and int", MPI_DOUBLE_INT, -2, sizeof(struct pair) },
    };
    const MPI_Op any[] = { MPI_SUM, MPI_PROD }, ordered[] = { MPI_MAX, MPI_MIN },
                 logical[] = { MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR },
                 where[] = { MPI_MAXLOC, MPI_MINLOC };
    const int counts[] = {
        1001, 124, 125, MOST
    }; /* around the threshold of 1000 bytes for doubles; no multiples of 3 */
    for (unsigned k = few ? 4 : 0; k < (few ? 6 : sizeof kinds / sizeof *kinds); k++)
        for (unsigned c = 0; c < (few ? 2 : sizeof counts / sizeof *counts); c++)
            for (int in_place = 0; in_place < 2; in_place++) {
                for (int o = 0; o < 2 && kinds[k].whole > -2; o++)
                    compare(&kinds[k], counts[c], any[o], comm, in_place, what);
                for (int o = 0; o < 2 && kinds[k].whole >= 0; o++)
                    compare(&kinds[k], counts[c], ordered[o], comm, in_place, what);
                for (int o = 0; o < 6 && kinds[k].whole == 1; o++)
                    compare(&kinds[k], counts[c], logical[o], comm, in_place, what);
                for (int o = 0; o < 2 && kinds[k].whole == -2; o++)
                    compare(&kinds[k], counts[c], where[o], comm, in_place, what);
            }
}

/* Takes the right operand's place: only the order of ranks gives the last one's values. */
static void take_last(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void)left;
    (void)right;
    (void)count;
    (void)type;
}

static void passed_on(MPI_Comm comm)
{
    const struct kind kind = { "own operation", MPI_INT, 1, sizeof(int) };
    struct kind derived = { "derived type", MPI_DATATYPE_NULL, 1, 4 * sizeof(int) };
    MPI_Op op;
    MPI_Op_create(take_last, 0, &op);
    MPI_Type_contiguous(4, MPI_INT, &derived.type);
    MPI_Type_commit(&derived.type);
    for (int i = 0; i < 5; i++) {
        compare(&kind, MOST, op, comm, i % 2, "passed on");
        compare(&derived, MOST, op, comm, i % 2, "passed on");
    }
    MPI_Type_free(&derived.type);
    MPI_Op_free(&op);
}

/* Each group receives what the other one added up. */
static void between_groups(MPI_Comm half, int mine)
{
    MPI_Comm between;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, mine ? 0 : 1, 7, &between);
    int others;
    MPI_Comm_remote_size(between, &others);
    for (int call = 0; call < 5; call++) {
        int *from = (int *)in, *to = (int *)out;
        for (int i = 0; i < MOST; i++)
            from[i] = mine + 1;
        MPI_Allreduce(from, to, MOST, MPI_INT, MPI_SUM, between);
        checked++;
        for (int i = 0; i < MOST; i++)
            wrong += to[i] != others * (2 - mine);
    }
    MPI_Comm_free(&between);
}

/* More communicators than there may be copies, one after the other and at once. */
static void many(void)
{
    const struct kind kind = { "double", MPI_DOUBLE, 0, sizeof(double) };
    MPI_Comm comms[40];
    for (int i = 0; i < 20; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
        for (int call = 0; call < 4; call++)
            compare(&kind, 1001, MPI_SUM, comms[0], 0, "one after the other");
        MPI_Comm_free(&comms[0]);
    }
    for (int i = 0; i < 40; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        for (int call = 0; call < 4; call++)
            compare(&kind, 1001, MPI_SUM, comms[i], 0, "at once");
    }
    for (int i = 0; i < 40; i += 2)
        MPI_Comm_free(&comms[i]); /* the others are left to MPI_Finalize */
}

static MPI_Comm of_thread[2];

static void *in_thread(void *which)
{
    static double from[2][MOST], to[2][MOST];
    int number = (int)(size_t)which, size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int call = 0; call < 50; call++) {
        for (int i = 0; i < MOST; i++)
            from[number][i] = i + call;
        MPI_Allreduce(from[number], to[number], MOST, MPI_DOUBLE, MPI_SUM, of_thread[number]);
        for (int i = 0; i < MOST; i++)
            if (to[number][i] != (double)size * (i + call))
                __sync_fetch_and_add(&wrong, 1);
    }
    return NULL;
}

/* Two threads of a rank reduce at the same time, and rank by rank another one comes first. */
static void threads(void)
{
    pthread_t other;
    int level, rank;
    MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i]);
    pthread_create(&other, NULL, in_thread, (void *)(size_t)(rank % 2));
    in_thread((void *)(size_t)(1 - rank % 2));
    pthread_join(other, NULL);
    checked++;
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&of_thread[i]);
}

/* Ranks whose environment differs must do the same all the same. */
static void disagree(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    rank = rank ? rank : getenv("PMI_RANK");
    if (rank && atoi(rank) == 1) {
        setenv("ADVISOR_ENDPOINTS_BYTES", "50000", 1);
        setenv("ADVISOR_ENDPOINTS", "7", 1);
    }
}

int main(int argc, char **argv)
{
    int rank, all;
    if (argc > 1 && !strcmp(argv[1], "disagree"))
        disagree();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm half, reversed;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    all_kinds(MPI_COMM_WORLD, 0, "world");
    all_kinds(half, 1, "half");
    all_kinds(reversed, 1, "reversed");
    all_kinds(MPI_COMM_SELF, 1, "self");
    passed_on(MPI_COMM_WORLD);
    between_groups(half, rank % 2);
    if (argc > 1 && !strcmp(argv[1], "all")) {
        many();
        threads();
    }
    MPI_Comm_free(&half);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checked %d, wrong %d\n", checked, all);
    MPI_Finalize();
    return 0;
}
