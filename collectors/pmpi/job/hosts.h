/* Ranks that share a node: fields of `job` (job.h). */
#ifndef ADVISOR_HOSTS_H
#define ADVISOR_HOSTS_H

void hosts_find(void);            /* the ranks tell each other */
int hosts_are_crowded(int ranks); /* so many on this host? */

#endif
