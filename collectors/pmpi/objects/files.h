/* Files of MPI: whose class their calls are recorded under. */
#ifndef ADVISOR_FILES_H
#define ADVISOR_FILES_H

#include "communicators.h"

void file_opened(MPI_File file, MPI_Comm comm);
unsigned file_class(MPI_File file);
void file_closed(MPI_File file);
uint64_t files_memory(void); /* bytes allocated for them */

#endif
