/* Non-blocking MPI-IO: payload at the call. */
#include "oracle.h"

enum { MOST = 64 };
static int out[MOST], in[MOST];

#define START(name, times, bytes, ...)                     \
    for (int turn = 0; turn < (times); turn++) {           \
        MPI_Request request;                               \
        LARGE_CALL(name, 1, bytes, __VA_ARGS__, &request); \
        PLAIN(Wait, 1, &request, MPI_STATUS_IGNORE);       \
    }

void files_nonblocking(void)
{
    char path[4096];
    MPI_File file;
    MPI_Offset mine = (MPI_Offset)rank * sizeof out;
    snprintf(path, sizeof path, "%s/nonblocking",
             getenv("ORACLE_OUTPUT") ? getenv("ORACLE_OUTPUT") : "/tmp");
    PLAIN(File_open, 1, MPI_COMM_WORLD, path,
          MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    START(File_iwrite_at, 5, 7 * sizeof(int), file, mine, out, 7, MPI_INT)
    START(File_iread_at, 3, 5 * sizeof(int), file, mine, in, 5, MPI_INT)
    START(File_iwrite_at_all, 2, 11 * sizeof(int), file, mine, out, 11, MPI_INT)
    START(File_iread_at_all, 3, 3 * sizeof(int), file, mine, in, 3, MPI_INT)
    PLAIN(File_seek, 1, file, mine, MPI_SEEK_SET);
    START(File_iwrite, 3, 2 * sizeof(int), file, out, 2, MPI_INT)
    START(File_iwrite_all, 2, 3 * sizeof(int), file, out, 3, MPI_INT)
    PLAIN(File_seek, 1, file, mine, MPI_SEEK_SET);
    START(File_iread, 2, sizeof(int), file, in, 1, MPI_INT)
    START(File_iread_all, 5, sizeof(int), file, in, 1, MPI_INT)
    START(File_iwrite_shared, 2, 2 * sizeof(int), file, out, 2, MPI_INT)
    PLAIN(File_seek_shared, 1, file, 0, MPI_SEEK_SET);
    START(File_iread_shared, 3, sizeof(int), file, in, 1, MPI_INT)
    PLAIN(File_close, 1, &file);
}
