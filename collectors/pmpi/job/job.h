/* This rank's place in the job, and what the ranks say to each other on our own account, on
 * job.comm. Nothing here waits inside the library: where ranks outnumber cores a rank that polls
 * there keeps a core from those it waits for. Functions that return an int give a status of MPI
 * unless they say otherwise. */
#ifndef ADVISOR_JOB_H
#define ADVISOR_JOB_H

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

int job_open(void);       /* makes job.comm */
void job_pause(int turn); /* between two looks at what others have to do; `turn`: looks so far
                             without anything new */
/* Between two ranks of the job, sleeping while the other is late. */
int job_send(const void *bytes, size_t size, int to, int tag);
int job_recv(void *bytes, size_t size, int from, int tag);
/* Any number of bytes. NULL: the other could not send, or there is no memory. */
void job_send_bytes(const void *bytes, size_t size, int to);
char *job_recv_bytes(int from, size_t *size);
/* job_recv_bytes in two steps, where the room is not malloc's: 0 if it failed. */
int job_recv_size(uint64_t *size, int from);
int job_recv_pieces(char *bytes, size_t size, int from);
/* Of all ranks. */
int job_bcast(void *value, int size); /* from rank 0 */
int job_allgather(const void *own, void *all, int size);
int job_allreduce_min(
    const void *own, void *least, int count,
    MPI_Datatype type); /* needs MPI_Ibarrier, so that the same ranks go on with exchange.h */
int job_all(int own); /* is it so on all ranks? The program's own process may be restricted: nothing
                         but the library waits here */
void job_barrier(void); /* nobody goes on before all have come, and then all at once: awake */

#endif
