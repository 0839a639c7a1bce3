/* What the program has forbidden its own process. A system call that a filter forbids may end the
 * process, and nothing tells beforehand which do: who finds a new filter makes no call any more and
 * leaves the record where it lies. */
#ifndef ADVISOR_RESTRICTIONS_H
#define ADVISOR_RESTRICTIONS_H

#include <stdint.h>

/* CALLS: it filters system calls. DESCRIPTORS: ours was closed, or there was none left. FILE_SIZE:
 * files may no longer become as large as they might when it started. */
enum restriction { RESTRICTED_CALLS = 1, RESTRICTED_DESCRIPTORS = 2, RESTRICTED_FILE_SIZE = 4 };

void restrictions_begin(void); /* when the process starts: what is there already, by a container,
                                  ends no call that starting needs */
int restrictions_came(void); /* before MPI_Init: has the program filtered its system calls since? */
void restrictions_watch(
    void); /* after MPI_Init: keeps a descriptor, so that looking takes a read and nothing else */
unsigned restrictions_now(void); /* of enum restriction, CALLS or DESCRIPTORS; once there are some,
                                    they stay, and no call is made to find out */
void restrictions_end(
    void); /* gives the descriptor back: the library may need it in its MPI_Finalize */
uint64_t
restrictions_memory_peak(void); /* bytes, as the kernel said when it was last asked; 0: unknown */
unsigned restrictions_by(int error); /* did a file not take what was written because the program has
                                        lowered a limit since it started? */

#endif
