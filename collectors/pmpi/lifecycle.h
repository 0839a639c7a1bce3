#ifndef ADVISOR_LIFECYCLE_H
#define ADVISOR_LIFECYCLE_H

#include "library.h"
#include <stddef.h>
#include <stdint.h>

struct job {
    int rank, size, node, nodes, leader;
    uint32_t *node_of;
    MPI_Comm comm;
    int talks, reads, crowded;
};
extern struct job
    job; /* this rank's place in MPI_COMM_WORLD; comm: private, for us alone; talks: may we use it;
          * reads: 1 it can read the memory of another rank of its host, -1 it cannot, 0 not tried;
          * crowded: its host has more ranks than cores */

void job_start(void);     /* after MPI_Init */
int job_is_spawned(void); /* by MPI_Comm_spawn of another job */
#if defined(HAS_SESSIONS)
void job_start_session(
    const MPI_Session *session); /* after MPI_Session_init, when there is no MPI_COMM_WORLD */
MPI_Group job_session_world(void);
void job_end_session(void); /* before the last MPI_Session_finalize */
#endif
void job_hand_on(void); /* collective: gathers all records on rank 0, which writes the profile */
void chosen_parts(char *text, size_t size,
                  int ended); /* of the library, for messages; between MPI_Init and MPI_Finalize */
/* MPI_T performance variables: opened after MPI_Init, read and closed before MPI_Finalize; if
 * counters are wanted, levels once a slice of time as well. */
void performance_variables_start(int level);
void performance_variables_end(void);
void control_variables(int level, char *settings,
                       size_t size); /* MPI_T: between MPI_Init and MPI_Finalize */

#endif
