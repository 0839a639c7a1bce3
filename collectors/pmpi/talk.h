/* What the ranks say to each other on our own account, on job.comm. Nothing here waits inside the
 * library: where ranks outnumber cores a rank that polls there keeps a core from those it waits
 * for. Functions that return an int give a status of MPI unless they say otherwise. */
#ifndef ADVISOR_TALK_H
#define ADVISOR_TALK_H

#include "lifecycle.h"

int job_open(void);       /* makes job.comm */
void job_pause(int turn); /* between two looks at what others have to do; `turn`: looks so far
                             without anything new */
/* Between two ranks of the job, sleeping while the other is late. */
int job_give(const void *bytes, size_t size, int to, int tag);
int job_take(void *bytes, size_t size, int from, int tag);
/* Any number of bytes. NULL: the other could not send, or there is no memory. */
void job_send(const void *bytes, size_t size, int to);
char *job_receive(int from, size_t *size);
/* job_receive in two steps, where the room is not malloc's: 0 if it failed. */
int job_take_size(uint64_t *size, int from);
int job_take_pieces(char *bytes, size_t size, int from);
/* Of all ranks. */
int job_tell(void *value, int size); /* from rank 0 */
int job_hear(const void *own, void *all, int size);
int job_least(
    const void *own, void *least, int count,
    MPI_Datatype type); /* needs MPI_Ibarrier, so that the same ranks go on with exchange.h */
int job_all(int own); /* is it so on all ranks? The program's own process may be restricted: nothing
                         but the library waits here */
void job_meet(void);  /* nobody goes on before all have come, and then all at once: awake */

#endif
