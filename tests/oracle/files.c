/* MPI-IO, blocking and split: payload is what is asked for, count times type, reading as writing.
 */
#include "oracle.h"

enum { MOST = 64 };
static int out[MOST], in[MOST];
static MPI_File file;

static MPI_File open_file(void)
{
    char path[4096];
    MPI_File opened;
    snprintf(path, sizeof path, "%s/file",
             getenv("ORACLE_OUTPUT") ? getenv("ORACLE_OUTPUT") : "/tmp");
    PLAIN(File_open, 1, MPI_COMM_WORLD, path,
          MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &opened);
    return opened;
}

static void at_offsets(void)
{
    MPI_Offset mine = (MPI_Offset)rank * sizeof out;
    LARGE_CALL(File_write_at, 5, 11 * sizeof(int), file, mine, out, 11, MPI_INT, MPI_STATUS_IGNORE);
    LARGE_CALL(File_read_at, 3, 7 * sizeof(int), file, mine, in, 7, MPI_INT, MPI_STATUS_IGNORE);
    LARGE_CALL(File_write_at_all, 2, 13 * sizeof(int), file, mine, out, 13, MPI_INT,
               MPI_STATUS_IGNORE);
    LARGE_CALL(File_read_at_all, 3, 5 * sizeof(int), file, mine, in, 5, MPI_INT, MPI_STATUS_IGNORE);
    LARGE_CALL(File_write_at, 2, 0, file, mine, out, 0, MPI_INT, MPI_STATUS_IGNORE);
}

static void at_own_pointer(void)
{
    PLAIN(File_seek, 3, file, (MPI_Offset)rank * sizeof out, MPI_SEEK_SET);
    LARGE_CALL(File_write, 3, 2 * sizeof(int), file, out, 2, MPI_INT, MPI_STATUS_IGNORE);
    LARGE_CALL(File_write_all, 2, 3 * sizeof(int), file, out, 3, MPI_INT, MPI_STATUS_IGNORE);
    PLAIN(File_seek, 1, file, (MPI_Offset)rank * sizeof out, MPI_SEEK_SET);
    LARGE_CALL(File_read, 5, sizeof(int), file, in, 1, MPI_INT, MPI_STATUS_IGNORE);
    LARGE_CALL(File_read_all, 2, sizeof(int), file, in, 1, MPI_INT, MPI_STATUS_IGNORE);
}

static void at_shared_pointer(void)
{
    MPI_Offset place;
    PLAIN(File_seek_shared, 2, file, 0, MPI_SEEK_SET);
    LARGE_CALL(File_write_shared, 3, 3 * sizeof(int), file, out, 3, MPI_INT, MPI_STATUS_IGNORE);
    LARGE_CALL(File_write_ordered, 2, 5 * sizeof(int), file, out, 5, MPI_INT, MPI_STATUS_IGNORE);
    PLAIN(File_seek_shared, 1, file, 0, MPI_SEEK_SET);
    LARGE_CALL(File_read_shared, 2, 2 * sizeof(int), file, in, 2, MPI_INT, MPI_STATUS_IGNORE);
    LARGE_CALL(File_read_ordered, 3, 2 * sizeof(int), file, in, 2, MPI_INT, MPI_STATUS_IGNORE);
    PLAIN(File_get_position_shared, 3, file, &place);
}

/* Split collectives: the payload goes with the begin; the end only completes. */
static void split(void)
{
    MPI_Offset mine = (MPI_Offset)rank * sizeof out;
    for (int turn = 0; turn < 3; turn++) {
        LARGE_CALL(File_write_at_all_begin, 1, 7 * sizeof(int), file, mine, out, 7, MPI_INT);
        PLAIN(File_write_at_all_end, 1, file, out, MPI_STATUS_IGNORE);
        LARGE_CALL(File_read_at_all_begin, 1, 5 * sizeof(int), file, mine, in, 5, MPI_INT);
        PLAIN(File_read_at_all_end, 1, file, in, MPI_STATUS_IGNORE);
    }
    PLAIN(File_seek, 1, file, mine, MPI_SEEK_SET);
    PLAIN(File_seek_shared, 1, file, 0, MPI_SEEK_SET);
    for (int turn = 0; turn < 2; turn++) {
        LARGE_CALL(File_write_all_begin, 1, 3 * sizeof(int), file, out, 3, MPI_INT);
        PLAIN(File_write_all_end, 1, file, out, MPI_STATUS_IGNORE);
        LARGE_CALL(File_read_all_begin, 1, 2 * sizeof(int), file, in, 2, MPI_INT);
        PLAIN(File_read_all_end, 1, file, in, MPI_STATUS_IGNORE);
        LARGE_CALL(File_write_ordered_begin, 1, 2 * sizeof(int), file, out, 2, MPI_INT);
        PLAIN(File_write_ordered_end, 1, file, out, MPI_STATUS_IGNORE);
        LARGE_CALL(File_read_ordered_begin, 1, sizeof(int), file, in, 1, MPI_INT);
        PLAIN(File_read_ordered_end, 1, file, in, MPI_STATUS_IGNORE);
    }
}

void files(void)
{
    file = open_file();
    at_offsets();
    at_own_pointer();
    at_shared_pointer();
    split();
    PLAIN(File_close, 1, &file);
}
