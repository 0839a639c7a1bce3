/* Work on a file system that may not answer, with a time limit. */
#ifndef ADVISOR_BOUNDED_H
#define ADVISOR_BOUNDED_H

/* What `work` returns, 0 to 255; -1 if it took longer. It runs in a process of its own that shares
 * this one's memory: it must not allocate, and what it leaves in `argument` counts only if it
 * ended. */
int bounded(int (*work)(void *argument), void *argument, double seconds);

#endif
