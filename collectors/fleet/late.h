/* Ranks that open the MPI library while they run, as Python does with mpi4py. */
#ifndef ADVISOR_FLEET_LATE_H
#define ADVISOR_FLEET_LATE_H

#include <link.h>

/* Is this Python's own file? */
int late_is_python(const struct link_map *file);
/* From now on: once a library of MPI is there, `open_for` may open its collector, whose functions
 * come before the library's in all files that are there or come later. */
void late_wait(void *(*open_for)(const char *library, char **environment), char **environment);
/* Is this the name of an MPI library's file? */
int late_is_library(const char *path);

#endif
