/* Have all processes of this world a collector? Asked before any collective call of ours: a process
 * without one would keep the others waiting in it for ever. No MPI here, and every wait ends.
 *
 * On a host the processes count themselves on a page that they share; hosts meet in the result
 * folder. MPI_Init itself is the meeting point: every library lets nobody out before all are in, so
 * whoever has a collector is on the page then. */
#ifndef ADVISOR_RENDEZVOUS_H
#define ADVISOR_RENDEZVOUS_H

void rendezvous_arrive(void); /* before MPI_Init */
int rendezvous_complete(
    int rank,
    int size); /* after it, once: the same answer in all processes that have a collector */
void rendezvous_withdraw(void); /* instead: this process takes no part */
void rendezvous_end(void);      /* removes what is left of it in the result folder */

#endif
