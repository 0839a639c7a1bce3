/* What the library counts of itself, from MPI_T. Only variables in the list are read: Open MPI
 * lists variables of components that it has unloaded, and most of the others say nothing that a
 * setting or a program could change. */
#include "tool_interface.h"
#include "library.h"
#include "phases.h"
#include "settings.h"
#include "clock.h"
#include "record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int class;
    const char *kind;
} wanted[] = { /* Open MPI without UCX or a matching network: queues of ob1, one length a peer */
               { "pml_ob1_unexpected_msgq_length", MPI_T_PVAR_CLASS_SIZE, "level" },
               { "pml_ob1_posted_recvq_length", MPI_T_PVAR_CLASS_SIZE, "level" },
               /* Open MPI built with --enable-spc, and mpi_spc_attach set */
               { "runtime_spc_OMPI_SPC_UNEXPECTED", MPI_T_PVAR_CLASS_COUNTER, "counter" },
               { "runtime_spc_OMPI_SPC_OUT_OF_SEQUENCE", MPI_T_PVAR_CLASS_COUNTER, "counter" },
               { "runtime_spc_OMPI_SPC_MATCH_TIME", MPI_T_PVAR_CLASS_TIMER, "timer" },
               { "runtime_spc_OMPI_SPC_MAX_UNEXPECTED_IN_QUEUE", MPI_T_PVAR_CLASS_HIGHWATERMARK,
                 "highwatermark" },
               /* MPICH built with --enable-mpit-pvars=recvq */
               { "unexpected_recvq_length", MPI_T_PVAR_CLASS_LEVEL, "level" },
               { "posted_recvq_length", MPI_T_PVAR_CLASS_LEVEL, "level" },
               { "unexpected_recvq_match_attempts", MPI_T_PVAR_CLASS_COUNTER, "counter" },
               { "posted_recvq_match_attempts", MPI_T_PVAR_CLASS_COUNTER, "counter" },
               { "unexpected_recvq_buffer_size", MPI_T_PVAR_CLASS_LEVEL, "level" },
               { "time_matching_unexpectedq", MPI_T_PVAR_CLASS_TIMER, "timer" },
               { "time_failed_matching_postedq", MPI_T_PVAR_CLASS_TIMER, "timer" }
};
/* Not `idle` of Intel MPI, seconds of polling for progress: the times of the calls say more. */
enum { WANTED = sizeof wanted / sizeof *wanted, MOST_VALUES = 4096 };
_Static_assert((int)WANTED <= (int)VARIABLE_ROWS, "a row each");

static struct found {
    MPI_T_pvar_handle handle;
    int values, wide, whole;
    struct variable_row *row;
} found[WANTED];
static int number, opened;
static MPI_T_pvar_session session;
static uint64_t *room; /* for the values of one variable */

/* Bytes of one value; 0: of a type that we do not read. */
static int width_of(MPI_Datatype type, int *whole)
{
    *whole = type != MPI_DOUBLE;
    if (type == MPI_UNSIGNED || type == MPI_INT)
        return 4;
    return type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED_LONG_LONG || type == MPI_DOUBLE ? 8
                                                                                             : 0;
}

static int make_room(int values)
{
    static int most;
    uint64_t *larger = values > most && values <= MOST_VALUES
                           ? realloc(room, (size_t)values * sizeof *room)
                           : NULL;
    if (larger) {
        room = larger;
        most = values;
    }
    return values <= most;
}

static void add_variable(int i)
{
    int index, length = 0, verbosity, class, bind, readonly, continuous, atomic, none = 0;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_Comm world = MPI_COMM_WORLD;
    struct found *one = &found[number];
    if (real.T_pvar_get_index(wanted[i].name, wanted[i].class, &index) != MPI_SUCCESS ||
        real.T_pvar_get_info(index, NULL, &length, &verbosity, &class, &type, &values, NULL, &none,
                             &bind, &readonly, &continuous, &atomic) != MPI_SUCCESS ||
        !(one->wide = width_of(type, &one->whole)) ||
        (bind != MPI_T_BIND_NO_OBJECT && bind != MPI_T_BIND_MPI_COMM) ||
        real.T_pvar_handle_alloc(session, index, bind == MPI_T_BIND_MPI_COMM ? &world : NULL,
                                 &one->handle, &one->values) != MPI_SUCCESS)
        return;
    if (!make_room(one->values) ||
        (!continuous && real.T_pvar_start(session, one->handle) != MPI_SUCCESS)) {
        real.T_pvar_handle_free(session, &one->handle);
        return;
    }
    one->row = &record->variables[number++];
    snprintf(one->row->name, sizeof one->row->name, "%s", wanted[i].name);
    snprintf(one->row->kind, sizeof one->row->kind, "%s", wanted[i].kind);
}

static double sum_of(const struct found *one)
{
    double sum = 0, real_value;
    for (int i = 0; i < one->values; i++)
        if (!one->whole) {
            memcpy(&real_value, &room[i], sizeof real_value);
            sum += real_value;
        } else {
            sum += one->wide == 4 ? (double)((const uint32_t *)room)[i] : (double)room[i];
        }
    return sum;
}

static void take(int levels_only)
{
    for (int i = 0; i < number; i++) {
        struct variable_row *row = found[i].row;
        if ((levels_only && strcmp(row->kind, "level")) ||
            real.T_pvar_read(session, found[i].handle, room) != MPI_SUCCESS)
            continue;
        row->last = sum_of(&found[i]);
        row->sum += row->last;
        row->most = row->last > row->most ? row->last : row->most;
        row->reads++;
    }
}

static void take_levels(void)
{
    const uint64_t begin = clock_ticks();
    take(1);
    record->rank.counter_time += (double)(clock_ticks() - begin) * record->rank.seconds_per_tick;
}

/* A library that exports none of them is left alone: no session, no handle. */
static int exports_any(void)
{
    int index, any = 0;
    for (int i = 0; i < WANTED && !any; i++)
        any = real.T_pvar_get_index(wanted[i].name, wanted[i].class, &index) == MPI_SUCCESS;
    return any;
}

/* Beginnings and ends of MPI_T are counted, so that the program's own use goes on. */
static void leave(void)
{
#if defined(OPEN_MPI)
    real.T_finalize(); /* MPICH: see control_variables.c */
#endif
}

/* Open MPI opens every component that it has once more for that, half a hundred files on each rank:
 * 0.2 s on a local disk, and a storm on a shared one. */
static int costs_little(void)
{
#if defined(OPEN_MPI)
    return setting_counters() != NULL;
#else
    return 1;
#endif
}

void performance_variables_start(int level)
{
    int provided;
    if (!costs_little() || !real.T_init_thread || !real.T_pvar_get_index ||
        !real.T_pvar_session_create || real.T_init_thread(level, &provided) != MPI_SUCCESS)
        return;
    opened = exports_any() && real.T_pvar_session_create(&session) == MPI_SUCCESS;
    if (!opened)
        leave();
    for (int i = 0; opened && i < WANTED; i++)
        add_variable(i);
    /* The library takes a lock for a reading: on the way only for those who want to pay for
     * counters. */
    for (int i = 0; i < number && setting_counters(); i++)
        if (!strcmp(found[i].row->kind, "level"))
            phases_turned = take_levels;
}

void performance_variables_end(void)
{
    phases_turned = NULL;
    if (!opened)
        return;
    take(0);
    for (int i = 0; i < number; i++)
        real.T_pvar_handle_free(session, &found[i].handle);
    real.T_pvar_session_free(&session);
    opened = number = 0;
    leave();
}
