#include "pieces.h"

__thread int inside;

void piece_reduce(struct piece *piece)
{
    inside++;
#if MPI_VERSION >= 4
    if (piece->count > 0x7fffffff)
        piece->code = library()->Allreduce_c(piece->send, piece->receive, (MPI_Count)piece->count,
                                             piece->type, piece->op, piece->comm);
    else
#endif
        piece->code = library()->Allreduce(piece->send, piece->receive, (int)piece->count,
                                           piece->type, piece->op, piece->comm);
    inside--;
}
