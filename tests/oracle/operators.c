/* Reduction operators, the library's and our own. */
#include "oracle.h"

/* The library calls this inside of a reduction: the call in it is not outermost. */
#ifdef LARGE
static void add(void *in, void *out, MPI_Count *length, MPI_Datatype *type)
#else
static void add(void *in, void *out, int *length, MPI_Datatype *type)
#endif
{
    int bytes;
    MPI_Type_size(*type, &bytes);
    for (int at = 0; at < *length; at++)
        ((int *)out)[at] += ((int *)in)[at];
}

void operators(void)
{
    MPI_Op own;
    int commutes, mine[3] = { 1, 2, 3 }, sum[3] = { 0, 0, 0 };
    LARGE_PLAIN(Op_create, 1, add, 1, &own);
    PLAIN(Op_commutative, 3, own, &commutes);
    VERIFY(commutes);
    LARGE_CALL(Allreduce, 5, 3 * sizeof(int), mine, sum, 3, MPI_INT, own, MPI_COMM_WORLD);
    VERIFY(sum[2] == 3 * size);
    LARGE_PLAIN(Reduce_local, 2, mine, sum, 3, MPI_INT, MPI_SUM);
    LARGE_PLAIN(Reduce_local, 3, mine, sum, 3, MPI_INT, own);
    PLAIN(Op_free, 1, &own);
}
