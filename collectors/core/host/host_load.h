/* What else ran on this host while the job did, as far as the system tells everybody: load and
 * tasks ready to run at start and end, time that a hypervisor kept from this virtual machine, and
 * time that a quota of the control group kept its processes from running. No names of processes or
 * users. */
#ifndef ADVISOR_HOST_LOAD_H
#define ADVISOR_HOST_LOAD_H

#include <stddef.h>

/* By one rank of each host, before MPI_Init returns: opens what is read again at the end. */
void host_load_start(char *facts, size_t size);
/* Adds to the facts; nothing where it was not started. */
void host_load_end(char *facts, size_t size);
/* limits.c: cpu.stat of the group with the tightest quota, opened; -1: there is no quota. `first`:
 * the first version of control groups. */
int limits_open_throttled(int *first);

#endif
