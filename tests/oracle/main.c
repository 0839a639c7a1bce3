/* oracle [topic ...]: runs the named topics, or all usual ones, between MPI_Init_thread and
 * MPI_Finalize. */
#include "oracle.h"

static const struct {
    const char *name;
    void (*run)(void);
} topics[] = {
    { "point_to_point", point_to_point },
    { "probes", probes },
    { "buffers", buffers },
    { "nonblocking", nonblocking },
    { "requests", requests },
    { "persistent", persistent },
    { "partitioned", partitioned },
    { "collectives", collectives },
    { "collectives_varying", collectives_varying },
    { "nonblocking_collectives", nonblocking_collectives },
    { "persistent_collectives", persistent_collectives },
    { "neighbours", neighbours },
    { "intercommunicators", intercommunicators },
    { "windows", windows },
    { "onesided", onesided },
    { "onesided_synchronisation", onesided_synchronisation },
    { "files", files },
    { "files_nonblocking", files_nonblocking },
    { "files_management", files_management },
    { "communicators", communicators },
    { "groups", groups },
    { "types", types },
    { "types_deprecated", types_deprecated },
    { "packing", packing },
    { "infos", infos },
    { "attributes", attributes },
    { "errors", errors },
    { "operators", operators },
    { "topologies", topologies },
    { "conversions", conversions },
    { "sessions", sessions },
    { "environment", environment },
    { "tool_interface", tool_interface },
    { "threads", threads },
    { "huge", huge },
    { "names", names },
    { "spawning", spawning },
};
enum {
    TOPICS = sizeof topics / sizeof *topics,
    USUAL = TOPICS - 2
}; /* ports and spawning work with some libraries only: ask for them */

static int wanted(int topic, int words, char **word)
{
    for (int at = 1; at < words; at++)
        if (strcmp(word[at], topics[topic].name) == 0)
            return 1;
    return words < 2 && topic < USUAL;
}

/* What the standard allows outside of the run; a profiler counts nothing there. */
static void outside(void)
{
    int flag, major, minor, length;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    OUTSIDE(Initialized, &flag);
    OUTSIDE(Finalized, &flag);
    OUTSIDE(Get_version, &major, &minor);
    OUTSIDE(Get_library_version, text, &length);
}

int main(int words, char **word)
{
    int provided;
    if (is_child(words, word))
        return 0;
    oracle_program = word[0];
    outside();
    PLAIN(Init_thread, 1, &words, &word, MPI_THREAD_MULTIPLE, &provided);
    PLAIN(Comm_rank, 1, MPI_COMM_WORLD, &rank);
    PLAIN(Comm_size, 1, MPI_COMM_WORLD, &size);
    VERIFY(provided == MPI_THREAD_MULTIPLE && size % 2 == 0);
    for (int at = 0; at < TOPICS; at++)
        if (wanted(at, words, word)) {
            topics[at].run();
            PLAIN(Barrier, 1, MPI_COMM_WORLD);
            if (rank == 0) {
                printf("%s done\n", topics[at].name);
                fflush(stdout);
            }
        }
    NO_ARGUMENTS(Finalize, 1);
    outside();
    oracle_write();
    return 0;
}
