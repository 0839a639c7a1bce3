/* Two ways to the same call, one of them three times as often. Usage: ways TURNS */
#include <mpi.h>
#include <stdlib.h>

#define KEPT __attribute__((noinline, noclone))

static double value = 1, sum;

KEPT void reduce(void)
{
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    value += sum * 1e-9;
}

KEPT void forces(void)
{
    reduce();
    value += 1;
}

KEPT void energy(void)
{
    reduce();
    value += 2;
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    for (int turn = 0; turn < atoi(words[1]); turn++) {
        for (int i = 0; i < 3; i++)
            forces();
        energy();
    }
    MPI_Finalize();
}
