/* More than 2^31 bytes in one call. A broadcast to oneself touches no memory, so none is needed. */
#include "oracle.h"

enum { BLOCK = 1 << 26 };

void huge(void)
{
    static char byte;
    const long long block = BLOCK;
    MPI_Datatype big, bigger;
    LARGE_PLAIN(Type_contiguous, 1, BLOCK, MPI_BYTE, &big);
    LARGE_PLAIN(Type_contiguous, 1, 64, big,
                &bigger); /* 4 GiB: its size does not fit MPI_Type_size */
    PLAIN(Type_commit, 1, &big);
    PLAIN(Type_commit, 1, &bigger);
    LARGE_CALL(Bcast, 3, 40 * block, &byte, 40, big, 0, MPI_COMM_SELF);
    LARGE_CALL(Bcast, 2, 3 * 64 * block, &byte, 3, bigger, 0, MPI_COMM_SELF);
#ifdef LARGE
    LARGE_CALL(Bcast, 5, 3000000000LL, &byte, (MPI_Count)3000000000LL, MPI_BYTE, 0, MPI_COMM_SELF);
#endif
    PLAIN(Type_free, 1, &bigger);
    PLAIN(Type_free, 1, &big);
}
