/* Post, start, complete and wait: who waits for whom in epochs between groups of a window's ranks.
 *
 * Each rank numbers its epochs of a window by itself, those of access and those of exposure apart.
 * In a program whose ranks open epochs in step, as exchanges with neighbours do, an access and the
 * exposures that it meets have the same number. Where they have not, partners are not found, or the
 * times contradict each other: nothing is told then. */
#ifndef ADVISOR_EPOCHS_H
#define ADVISOR_EPOCHS_H

#include "sampling.h"

enum epoch_kind { EPOCH_ACCESS, EPOCH_EXPOSURE, EPOCH_KINDS };

/* The call at hand, already counted. */
void epoch_opened(struct block *block, unsigned operation, struct communicator *window,
                  enum epoch_kind kind, MPI_Group group);
void epoch_closed(struct block *block, unsigned operation, struct communicator *window,
                  enum epoch_kind kind);

#endif
