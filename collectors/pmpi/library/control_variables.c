/* Settings in force, from MPI_T. Only variables in the list are read: reading all of them crashes
 * Open MPI 4, which lists variables of components that it has unloaded. */
#include "tool_interface.h"
#include "library.h"
#include "settings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const wanted[] = {
    /* Open MPI */
    "pml", "btl", "osc", "mtl", "coll", "smsc", "mpi_yield_when_idle",
    "btl_vader_single_copy_mechanism", "btl_vader_eager_limit", "btl_vader_max_send_size",
    "btl_sm_eager_limit", "btl_tcp_eager_limit", "smsc_cma_priority", "smsc_xpmem_priority",
    "coll_tuned_use_dynamic_rules", "coll_tuned_allreduce_algorithm", "coll_han_priority",
    "coll_tuned_priority", "osc_sm_priority", "osc_rdma_priority", "osc_ucx_priority",
    "pml_ucx_priority", "mpi_leave_pinned", "mpi_preconnect_mpi",
    /* MPICH */
    "MPIR_CVAR_ASYNC_PROGRESS", "MPIR_CVAR_POLLS_BEFORE_YIELD", "MPIR_CVAR_CH4_NETMOD",
    "MPIR_CVAR_CH4_NUM_VCIS", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
    "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "MPIR_CVAR_NOLOCAL",
    "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "MPIR_CVAR_CH4_XPMEM_ENABLE",
    "MPIR_CVAR_CH4_CMA_ENABLE", "MPIR_CVAR_DEVICE_COLLECTIVES",
    "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE", NULL
};

static int read_value(MPI_T_cvar_handle handle, MPI_Datatype type, int count, char *value,
                      size_t size)
{
    union {
        char text[1024];
        int integer;
        unsigned whole;
        unsigned long large;
        unsigned long long larger;
        double real;
        unsigned char flag;
    } raw;
    memset(&raw, 0, sizeof raw);
    if ((type == MPI_CHAR && (size_t)count > sizeof raw.text) || (type != MPI_CHAR && count != 1) ||
        real.T_cvar_read(handle, &raw) != MPI_SUCCESS)
        return 0;
    if (type == MPI_CHAR)
        snprintf(value, size, "%.1000s", raw.text);
    else if (type == MPI_INT)
        snprintf(value, size, "%d", raw.integer);
    else if (type == MPI_UNSIGNED)
        snprintf(value, size, "%u", raw.whole);
    else if (type == MPI_UNSIGNED_LONG)
        snprintf(value, size, "%lu", raw.large);
    else if (type == MPI_UNSIGNED_LONG_LONG)
        snprintf(value, size, "%llu", raw.larger);
    else if (type == MPI_DOUBLE)
        snprintf(value, size, "%g", raw.real);
    else if (type == MPI_C_BOOL)
        snprintf(value, size, "%s", raw.flag ? "true" : "false");
    else
        return 0;
    return 1;
}

/* Variables of an object (a communicator, a window) need one to be read: those are left out. */
static void add_variable(const char *wanted_name, char *settings, size_t size)
{
    int index;
    char name[128], value[1024];
    int length = sizeof name, verbosity, bind, scope, none = 0, count = 0;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_cvar_handle handle;
    if (real.T_cvar_get_index(wanted_name, &index) != MPI_SUCCESS ||
        real.T_cvar_get_info(index, name, &length, &verbosity, &type, &values, NULL, &none, &bind,
                             &scope) != MPI_SUCCESS ||
        bind != MPI_T_BIND_NO_OBJECT ||
        real.T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return;
    if (read_value(handle, type, count, value, sizeof value))
        settings_append(settings, size, wanted_name, value, "mpi_t");
    real.T_cvar_handle_free(&handle);
}

#if defined(OPEN_MPI)
/* Open MPI begins MPI_T by opening every component that it has once more, half a hundred files: 0.2
 * s on a local disk, at each start. The library below MPI answers for those that are in use as
 * ompi_info does, in lines of text: mca:btl:tcp:param:btl_tcp_eager_limit:value:65536. The two
 * functions have had these arguments from version 2 on; nothing is known here of how it keeps its
 * variables. */
typedef int find_variable(const char *name, int *index);
typedef int print_variable(int index, char ***lines, int form);
enum { FORM_PARSABLE = 1 };

/* What follows `key` in the line that has it, NULL: in none. */
static const char *line_after(char *const *lines, const char *name, const char *key)
{
    char mark[192];
    snprintf(mark, sizeof mark, ":param:%s:%s:", name, key);
    for (; *lines; lines++) {
        const char *found = strstr(*lines, mark);
        if (found)
            return found + strlen(mark);
    }
    return NULL;
}

/* Of a value that has a word the number, as MPI_T has it: its line ends in number:word. */
static const char *number_of(char *const *lines, const char *word, char *number, size_t size)
{
    for (; *lines; lines++) {
        const char *found = strstr(*lines, ":enumerator:value:"),
                   *colon = found ? strchr(found + 18, ':') : NULL;
        if (colon && !strcmp(colon + 1, word)) {
            snprintf(number, size, "%.*s", (int)(colon - found - 18), found + 18);
            return number;
        }
    }
    return word;
}

static void add_printed(char *const *lines, const char *name, char *settings, size_t size)
{
    const char *value = line_after(lines, name, "value"), *type = line_after(lines, name, "type");
    char number[32];
    if (!value || !type || !*value || !strcmp(value, "unset"))
        return;
    if (strcmp(type, "bool"))
        value = number_of(lines, value, number, sizeof number);
    settings_append(settings, size, name, value, "mpi_t");
}

/* 0: the library has no such functions. */
static int ask_below(char *settings, size_t size)
{
    find_variable *find = (find_variable *)library_symbol("mca_base_var_find_by_name");
    print_variable *print = (print_variable *)library_symbol("mca_base_var_dump");
    for (const char *const *name = wanted; find && print && *name; name++) {
        int index;
        char **lines = NULL;
        if (find(*name, &index) || print(index, &lines, FORM_PARSABLE) || !lines)
            continue;
        add_printed(lines, *name, settings, size);
        for (char **line = lines; *line; line++)
            free(*line);
        free(lines);
    }
    return find && print;
}
#endif

/* `level`: the thread level in force. Open MPI takes the level asked for here for that of the whole
 * program. */
void control_variables(int level, char *settings, size_t size)
{
    int provided;
#if defined(OPEN_MPI)
    if (ask_below(settings, size))
        return;
#endif
    if (!real.T_init_thread || !real.T_cvar_get_index ||
        real.T_init_thread(level, &provided) != MPI_SUCCESS)
        return;
    for (const char *const *name = wanted; *name; name++)
        add_variable(*name, settings, size);
#if defined(OPEN_MPI)
    real.T_finalize();
#endif
    /* MPICH cannot be initialised for tools a second time after the last one has finalised: a
     * program that uses MPI_T itself would crash, so we leave ours open there. */
}
