/* Starting other programs: this one again, as a child that only says goodbye. Asked for by name:
 * not every library can. */
#include "oracle.h"

const char *oracle_program;

int is_child(int words, char **word)
{
    MPI_Comm parent;
    if (words < 2 || strcmp(word[1], "child"))
        return 0;
    MPI_Init(&words, &word);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 1;
}

void spawning(void)
{
    char argument[] = "child", command[4096];
    char *arguments[] = { argument, NULL }, *commands[] = { command }, **lists[] = { arguments };
    int most = 1, code;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Comm child;
    snprintf(command, sizeof command, "%s", oracle_program);
    PLAIN(Comm_spawn, 1, command, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, &code);
    PLAIN(Comm_remote_size, 1, child, &most);
    VERIFY(most == 1);
    PLAIN(Comm_disconnect, 1, &child);
    PLAIN(Comm_spawn_multiple, 1, 1, commands, lists, &most, &info, 0, MPI_COMM_WORLD, &child,
          MPI_ERRCODES_IGNORE);
    PLAIN(Comm_disconnect, 1, &child);
}
