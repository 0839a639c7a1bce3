/* Each rank appends 20 bytes to a file of its own 3000 times, and reads 100 bytes 500 times,
 * between MPI_Init and MPI_Finalize; before and after it does as much again. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void use(const char *path)
{
    char bytes[100] = "";
    const int out = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (int i = 0; i < 3000; i++)
        if (write(out, "nineteen characters\n", 20) != 20)
            MPI_Abort(MPI_COMM_WORLD, 1);
    close(out);
    const int in = open(path, O_RDONLY);
    for (int i = 0; i < 500; i++)
        if (read(in, bytes, sizeof bytes) != sizeof bytes)
            MPI_Abort(MPI_COMM_WORLD, 1);
    close(in);
}

int main(int argc, char **argv)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", argv[1], (int)getpid());
    use(path);
    MPI_Init(&argc, &argv);
    use(path);
    MPI_Finalize();
    use(path);
    return 0;
}
