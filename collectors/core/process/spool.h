/* The spool of a centre: YYYY/MM/DD/CLUSTER.JOB.STEP.profile (docs/FLEET.md). */
#ifndef ADVISOR_SPOOL_H
#define ADVISOR_SPOOL_H

#include <stddef.h>

/* Today's folder. */
void spool_folder(char *path, size_t size);
/* All of it or nothing, within two seconds, in silence; 0: nothing is there. */
int spool_deliver(const char *bytes, size_t size);
/* Why there is no profile, as the name of an empty file: for whoever looks for it. */
void spool_tell_missing(const char *why);

#endif
