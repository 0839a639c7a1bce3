/* The MPI library of this process: its own functions, found at the first call. */
#ifndef ADVISOR_LIBRARY_H
#define ADVISOR_LIBRARY_H

#define OMPI_SKIP_MPICXX  1
#define MPICH_SKIP_MPICXX 1
#include "handles.h"
#include "real.h"

/* Finds the library and fills `real`, once. A function that it lacks stays NULL. */
void library_find(void);
const char *library_path(void);
/* Does the address lie in the file of the library itself (not in its Fortran layer)? */
int library_holds(const void *address);
/* Does that file hold a Fortran layer as well? */
int library_holds_fortran(void);
void *library_symbol(const char *name);

#endif
