/* Prints what a rank sees of settings: "cvar:NAME" through the MPI tool interface, "env:NAME" of
 * its environment, "cpus" of its affinity. With "init" it starts MPI first and does two collective
 * calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_cvar(const char *wanted)
{
    int index, length = 256, verbosity, bind, scope, none = 0, count = 0;
    char name[256];
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_cvar_handle handle;
    union {
        char text[65536];
        int integer;
        unsigned char flag;
        unsigned long large;
        double real;
    } raw;
    memset(&raw, 0, sizeof raw);
    if (MPI_T_cvar_get_index(wanted, &index) != MPI_SUCCESS ||
        MPI_T_cvar_get_info(index, name, &length, &verbosity, &type, &values, NULL, &none, &bind,
                            &scope) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS ||
        MPI_T_cvar_read(handle, &raw) != MPI_SUCCESS)
        printf("cvar:%s absent\n", wanted);
    else if (type == MPI_CHAR)
        printf("cvar:%s %s\n", wanted, raw.text);
    else if (type == MPI_C_BOOL)
        printf("cvar:%s %s\n", wanted, raw.flag ? "true" : "false");
    else if (type == MPI_INT || type == MPI_UNSIGNED)
        printf("cvar:%s %d\n", wanted, raw.integer);
    else if (type == MPI_DOUBLE)
        printf("cvar:%s %g\n", wanted, raw.real);
    else
        printf("cvar:%s %ld\n", wanted, (long)raw.large);
}

static void show_cpus(void)
{
    char line[1024];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "Cpus_allowed_list:", 18))
            printf("cpus %s", line + 18 + strspn(line + 18, " \t"));
    if (file)
        fclose(file);
}

int main(int count, char **words)
{
    int provided, init = count > 1 && !strcmp(words[1], "init"), rank = 0, size = 1;
    if (init) {
        int sums[64] = { 0 }, more[64], *blocks;
        MPI_Init(&count, &words);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        sums[0] = 1;
        MPI_Allreduce(sums, more, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        blocks = calloc((size_t)size * 2, sizeof *blocks);
        blocks[0] = more[0];
        MPI_Alltoall(blocks, 1, MPI_INT, blocks + size, 1, MPI_INT, MPI_COMM_WORLD);
        if (more[0] != size || (rank == 0 && blocks[size] != size))
            MPI_Abort(MPI_COMM_WORLD, 3);
        free(blocks);
    }
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    for (int i = 1; i < count && rank == 0; i++) {
        if (!strncmp(words[i], "cvar:", 5))
            show_cvar(words[i] + 5);
        else if (!strncmp(words[i], "env:", 4))
            printf("%s %s\n", words[i], getenv(words[i] + 4) ? getenv(words[i] + 4) : "absent");
        else if (!strcmp(words[i], "cpus"))
            show_cpus();
    }
    fflush(stdout);
    MPI_T_finalize();
    if (init)
        MPI_Finalize();
    return 0;
}
