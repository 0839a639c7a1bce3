/* Faults: the file is opened and closed for every record, its view is set 11 times for each, the shared file pointer places its pieces, and each record is synced.
 * Rules that must speak: files-opened-often, file-views-often, shared-file-pointer, file-sync-often.
 * Cured by -DCURED: opened once; collective calls at explicit offsets; synced at the end.
 *
 * Usage: mpirun -np 2 ./file_habits [records [file]]     2003 records take some seconds; the file is deleted at the end.
 * Counts on every rank: records x (File_open, 11 x File_set_view, 509 x File_write_shared, File_sync, File_close)
 * (cured: records x File_write_at_all). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define RECORDS 2003
#define PIECES 509
#define VIEWS 11
#define SIZE (PIECES * 11)

static char record[SIZE];

static MPI_File opened(const char *name)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    return file;
}

static void write_records(const char *name, int records, int rank, int size)
{
#ifdef CURED
    MPI_File file = opened(name);
    for (int each = 0; each < records; each++) {
        MPI_Offset at = ((MPI_Offset)each * size + rank) * SIZE;
        MPI_File_write_at_all(file, at, record, SIZE, MPI_CHAR, MPI_STATUS_IGNORE);
    }
    MPI_File_sync(file);
    MPI_File_close(&file);
#else
    (void)rank;
    for (int each = 0; each < records; each++) {
        MPI_File file = opened(name);
        for (int variable = 0; variable < VIEWS; variable++)
            MPI_File_set_view(file, (MPI_Offset)each * size * SIZE, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
        for (int piece = 0; piece < PIECES; piece++) {
            MPI_File_write_shared(file, record, SIZE / PIECES, MPI_CHAR, MPI_STATUS_IGNORE);
        }
        MPI_File_sync(file);
        MPI_File_close(&file);
    }
#endif
}

int main(int argc, char **argv)
{
    int records = argc > 1 ? atoi(argv[1]) : RECORDS;
    const char *name = argc > 2 ? argv[2] : "file_habits.data";
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    write_records(name, records, rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_File_delete(name, MPI_INFO_NULL);
        printf("%d records of %d bytes on each of %d ranks\n", records, SIZE, size);
    }
    MPI_Finalize();
    return 0;
}
