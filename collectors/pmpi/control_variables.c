/* Settings in force, from MPI_T. Only variables in the list are read: reading all of them crashes Open MPI 4, which
 * lists variables of components that it has unloaded. */
#include "lifecycle.h"
#include "settings.h"
#include <stdio.h>
#include <string.h>

static const char *const wanted[] = {
    /* Open MPI */
    "pml", "btl", "osc", "mtl", "coll", "smsc", "mpi_yield_when_idle", "btl_vader_single_copy_mechanism", "btl_vader_eager_limit",
    "btl_vader_max_send_size", "btl_sm_eager_limit", "btl_tcp_eager_limit", "smsc_cma_priority", "smsc_xpmem_priority",
    "coll_tuned_use_dynamic_rules", "coll_tuned_allreduce_algorithm", "coll_han_priority", "coll_tuned_priority",
    "osc_sm_priority", "osc_rdma_priority", "osc_ucx_priority", "pml_ucx_priority", "mpi_leave_pinned", "mpi_preconnect_mpi",
    /* MPICH */
    "MPIR_CVAR_ASYNC_PROGRESS", "MPIR_CVAR_POLLS_BEFORE_YIELD", "MPIR_CVAR_CH4_NETMOD", "MPIR_CVAR_CH4_NUM_VCIS",
    "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM",
    "MPIR_CVAR_NOLOCAL", "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "MPIR_CVAR_CH4_XPMEM_ENABLE", "MPIR_CVAR_CH4_CMA_ENABLE",
    "MPIR_CVAR_DEVICE_COLLECTIVES", "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE", NULL };

static int read_value(MPI_T_cvar_handle handle, MPI_Datatype type, int count, char *value, size_t size)
{
    union { char text[1024]; int integer; unsigned whole; unsigned long large; unsigned long long larger; double real; unsigned char flag; } raw;
    memset(&raw, 0, sizeof raw);
    if ((type == MPI_CHAR && (size_t)count > sizeof raw.text) || (type != MPI_CHAR && count != 1)
        || real.T_cvar_read(handle, &raw) != MPI_SUCCESS)
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
    if (real.T_cvar_get_index(wanted_name, &index) != MPI_SUCCESS
        || real.T_cvar_get_info(index, name, &length, &verbosity, &type, &values, NULL, &none, &bind, &scope) != MPI_SUCCESS
        || bind != MPI_T_BIND_NO_OBJECT
        || real.T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return;
    if (read_value(handle, type, count, value, sizeof value))
        settings_append(settings, size, wanted_name, value, "mpi_t");
    real.T_cvar_handle_free(&handle);
}

/* `level`: the thread level in force. Open MPI takes the level asked for here for that of the whole program. */
void control_variables(int level, char *settings, size_t size)
{
    int provided;
    if (!real.T_init_thread || !real.T_cvar_get_index || real.T_init_thread(level, &provided) != MPI_SUCCESS)
        return;
    for (const char *const *name = wanted; *name; name++)
        add_variable(*name, settings, size);
#if defined(OPEN_MPI)
    real.T_finalize();
#endif
    /* MPICH cannot be initialised for tools a second time after the last one has finalised: a program that uses MPI_T
     * itself would crash, so we leave ours open there. */
}
