/* Copies of a communicator, one for each piece but the first. */
#ifndef ADVISOR_ENDPOINTS_COPIES_H
#define ADVISOR_ENDPOINTS_COPIES_H

#include "library.h"

void copies_begin(void);
/* The copies for a large reduction on `comm`; NULL: it stays whole. All members of `comm` get the
 * same answer. */
const MPI_Comm *copies_of(MPI_Comm comm);
void copies_end(void);

#endif
