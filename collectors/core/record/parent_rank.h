/* Is this process the child of a rank that is measured? A rank may start MPI programs of its own
 * (system("mpirun …")): they inherit our environment, but belong to no rank of the job. They run
 * unmeasured, and the rank's record counts them. */
#ifndef ADVISOR_PARENT_RANK_H
#define ADVISOR_PARENT_RANK_H

int parent_rank_is_measured(void); /* 1: it is, and has been counted there */

#endif
