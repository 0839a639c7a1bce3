/* Faults, chosen by the second argument (one each, because a slow disk makes a sync hide the
 * others): open     the file is opened, its view set 11 times and closed for every record:
 * files-opened-often, file-views-often pointer  the shared file pointer places the 509 pieces of
 * every record: shared-file-pointer sync     every record is forced to disk: file-sync-often Cured
 * by -DCURED: opened once; every record in one collective call at an explicit offset; synced at the
 * end.
 *
 * Usage: mpirun -np 2 ./file_habits [records [open|pointer|sync [file]]]     2003 records take some
 * seconds; the file is deleted at the end. Counts on every rank, for each record: open: File_open,
 * 11 x File_set_view, File_write_at_all, File_close; pointer: 509 x File_write_shared; sync:
 * File_write_at_all, File_sync (cured: File_write_at_all). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 2003
#define PIECES  509
#define VIEWS   11
#define SIZE    (PIECES * 11)
#ifdef CURED
#define CURE 1
#else
#define CURE 0
#endif

static char record[SIZE];
static const char *name;
static int rank, size;

static MPI_File opened(void)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    return file;
}

static void write_together(MPI_File file, int record_number)
{
    MPI_Offset at = ((MPI_Offset)record_number * size + rank) * SIZE;
    MPI_File_write_at_all(file, at, record, SIZE, MPI_CHAR, MPI_STATUS_IGNORE);
}

static void write_reopened(int each)
{
    MPI_File file = opened();
    for (int variable = 0; variable < VIEWS; variable++) {
        MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
    }
    write_together(file, each);
    MPI_File_close(&file);
}

static void write_pieces(MPI_File file)
{
    for (int piece = 0; piece < PIECES; piece++) {
        MPI_File_write_shared(file, record, SIZE / PIECES, MPI_CHAR, MPI_STATUS_IGNORE);
    }
}

static void write_records(int records, const char *pattern)
{
    MPI_File file = opened();
    for (int each = 0; each < records; each++) {
        if (!CURE && !strcmp(pattern, "open")) {
            write_reopened(each);
        } else if (!CURE && !strcmp(pattern, "pointer")) {
            write_pieces(file);
        } else {
            write_together(file, each);
        }
        if (!CURE && !strcmp(pattern, "sync")) {
            MPI_File_sync(file);
        }
    }
    MPI_File_sync(file);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    int records = argc > 1 ? atoi(argv[1]) : RECORDS;
    const char *pattern = argc > 2 ? argv[2] : "open";
    name = argc > 3 ? argv[3] : "file_habits.data";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    write_records(records, pattern);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_File_delete(name, MPI_INFO_NULL);
        printf("%d records of %d bytes on each of %d ranks\n", records, SIZE, size);
    }
    MPI_Finalize();
    return 0;
}
