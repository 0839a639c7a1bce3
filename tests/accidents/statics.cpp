// statics [late]: objects that live longer than main: one ends MPI, if nobody has, one asks whether it is over, one prints.
#include <mpi.h>
#include <cstdio>

struct Printing { ~Printing() { std::printf("printed\n"); } };
struct Asking { ~Asking() { int over = 0; MPI_Finalized(&over); std::printf("over %d\n", over); } };
struct Ending { bool late = false; ~Ending() { if (late) MPI_Finalize(); } };
static Printing printing;
static Asking asking;
static Ending ending;

int main(int words, char **word)
{
    int one = 1, sum = 0;
    MPI_Init(&words, &word);
    ending.late = words > 1;
    for (int i = 0; i < 13; i++) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return words > 1 ? 0 : MPI_Finalize();
}
