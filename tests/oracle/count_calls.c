/* An independent count of MPI calls, by name: for every name in names.h a door that adds one and
 * goes on to the next library.
 *
 * names.h: one line DOOR(MPI_Send) or DOOR(mpi_send_) for each exported name of the C and the
 * Fortran library. A door is two instructions and leaves registers and stack as they are, so no
 * prototype is needed and no argument can be got wrong. Open MPI's Fortran layer goes on to PMPI_
 * names, which have no door here: nothing is counted twice. Each process writes its counts to
 * $COUNT_CALLS/RANK.json when it ends. x86-64 only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define DOOR(name) +1
enum {
    DOORS = 0
#include "names.h"
};
#undef DOOR

#define DOOR(name) #name,
static const char *const names[] = {
#include "names.h"
};
#undef DOOR

__attribute__((visibility("hidden"))) unsigned long door_counts[DOORS];
__attribute__((visibility("hidden"))) void *door_next[DOORS];

__asm__(".text\n.set door_number, 0\n"
        ".macro door name\n"
        ".globl \\name\n.type \\name, @function\n"
        "\\name:\n"
        "lock incq door_counts+8*door_number(%rip)\n"
        "jmp *door_next+8*door_number(%rip)\n"
        ".size \\name, .-\\name\n"
        ".set door_number, door_number+1\n"
        ".endm\n");
#define DOOR(name) __asm__("door " #name);
#include "names.h"
#undef DOOR

static void missing(void)
{
    fputs("count_calls: a call of a name that no library has\n", stderr);
    abort();
}

__attribute__((constructor)) static void open_doors(void)
{
    for (int at = 0; at < DOORS; at++) {
        door_next[at] = dlsym(RTLD_NEXT, names[at]);
        if (!door_next[at])
            door_next[at] = (void *)missing;
    }
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *folder = getenv("COUNT_CALLS"), *rank = getenv("OMPI_COMM_WORLD_RANK"), *comma = "";
    char path[4096];
    if (!folder || !rank)
        return;
    snprintf(path, sizeof path, "%s/%s.json", folder, rank);
    FILE *out = fopen(path, "w");
    if (!out)
        return;
    fprintf(out, "{\"rank\": %s, \"names\": {", rank);
    for (int at = 0; at < DOORS; at++)
        if (door_counts[at]) {
            fprintf(out, "%s\"%s\": %lu", comma, names[at], door_counts[at]);
            comma = ", ";
        }
    fputs("}}\n", out);
    fclose(out);
}
