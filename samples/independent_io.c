/* Fault: every rank writes its small pieces of a common file by calls of its own.
 * Rules that must speak: independent-io and small-file-requests.
 * Cured by -DCURED: all pieces of a block are written by one collective call.
 *
 * Usage: mpirun -np 2 ./independent_io [blocks [file]]     997 blocks take some seconds; the file
 * is deleted at the end. Counts on every rank: 101 x blocks File_write_at of 1000 bytes (cured:
 * blocks x File_write_at_all of 101000 bytes). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 997
#define PIECES 101
#define PIECE  1000
#define ROOM   11 /* blocks of a rank in the file, written over and over */

static char block[PIECES * PIECE];

static void write_block(MPI_File file, MPI_Offset at)
{
#ifdef CURED
    MPI_File_write_at_all(file, at, block, PIECES * PIECE, MPI_CHAR, MPI_STATUS_IGNORE);
#else
    for (int piece = 0; piece < PIECES; piece++) {
        MPI_File_write_at(file, at + piece * PIECE, block + piece * PIECE, PIECE, MPI_CHAR,
                          MPI_STATUS_IGNORE);
    }
#endif
}

int main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : BLOCKS;
    const char *name = argc > 2 ? argv[2] : "independent_io.data";
    MPI_File file;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_File_open(MPI_COMM_WORLD, name,
                  MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    for (int each = 0; each < blocks; each++) {
        write_block(file, ((MPI_Offset)(each % ROOM) * size + rank) * PIECES * PIECE);
    }
    MPI_File_close(&file);
    if (rank == 0) {
        printf("%d blocks of %d bytes on each of %d ranks\n", blocks, PIECES * PIECE, size);
    }
    MPI_Finalize();
    return 0;
}
