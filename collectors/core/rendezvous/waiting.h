/* How one process waits for others that are no part of its MPI yet. */
#ifndef ADVISOR_WAITING_H
#define ADVISOR_WAITING_H

double waiting_clock(void); /* seconds */
/* Longer each time: those that others wait for may need this core. */
void waiting_pause(int turn);

#endif
