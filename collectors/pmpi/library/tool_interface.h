/* Variables of the library's tool interface (MPI_T), and the components that it has chosen. */
#ifndef ADVISOR_TOOL_INTERFACE_H
#define ADVISOR_TOOL_INTERFACE_H

#include <stddef.h>

/* Variables: between MPI_Init and MPI_Finalize. */
void control_variables(int level, char *settings, size_t size);
/* Opened after MPI_Init, read and closed before MPI_Finalize; if counters are wanted, levels once a
 * slice of time as well. */
void performance_variables_start(int level);
void performance_variables_end(void);
/* Components, for messages; between MPI_Init and MPI_Finalize. */
void library_components(char *text, size_t size, int ended);

#endif
