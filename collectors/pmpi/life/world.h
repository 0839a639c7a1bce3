/* The job of this rank: MPI_COMM_WORLD, or what a session knows of it. */
#ifndef ADVISOR_WORLD_H
#define ADVISOR_WORLD_H

#include "library.h"

void job_start(void);     /* after MPI_Init */
int job_is_spawned(void); /* by MPI_Comm_spawn of another job */
#if defined(HAS_SESSIONS)
void job_start_session(
    const MPI_Session *session); /* after MPI_Session_init, when there is no MPI_COMM_WORLD */
void job_end_session(void);      /* before the last MPI_Session_finalize */
#endif

#endif
