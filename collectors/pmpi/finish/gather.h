/* The end of the job. */
#ifndef ADVISOR_GATHER_H
#define ADVISOR_GATHER_H

void job_hand_on(void); /* collective: gathers all records on rank 0, which writes the profile */

#endif
