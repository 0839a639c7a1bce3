/* Everything about files but reading and writing. */
#include "oracle.h"

static void handler(MPI_File *file, int *code, ...)
{
    (void)file;
    (void)code;
}

static void errors_of(MPI_File file)
{
    MPI_Errhandler errors;
    PLAIN(File_create_errhandler, 1, handler, &errors);
    PLAIN(File_set_errhandler, 2, file, errors);
    PLAIN(File_call_errhandler, 3, file, MPI_ERR_OTHER);
    PLAIN(Errhandler_free, 1, &errors);
    PLAIN(File_get_errhandler, 1, file, &errors);
    PLAIN(Errhandler_free, 1, &errors);
}

static void layout(MPI_File file)
{
    MPI_Offset place;
    MPI_Datatype etype, filetype;
    char representation[MPI_MAX_DATAREP_STRING];
    wide extent;
    PLAIN(File_set_view, 3, file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    PLAIN(File_get_view, 2, file, &place, &etype, &filetype, representation);
    PLAIN(File_get_byte_offset, 5, file, 3, &place);
    VERIFY(place == 3 * sizeof(int));
    LARGE_PLAIN(File_get_type_extent, 2, file, MPI_INT, &extent);
    PLAIN(File_get_position, 3, file, &place);
}

static void state(MPI_File file)
{
    int value;
    MPI_Offset bytes;
    MPI_Info info;
    MPI_Group group;
    PLAIN(File_set_size, 2, file, 4096);
    PLAIN(File_preallocate, 1, file, 8192);
    PLAIN(File_get_size, 3, file, &bytes);
    VERIFY(bytes == 8192);
    PLAIN(File_get_amode, 5, file, &value);
    REFUSABLE(File_set_atomicity, file, 1); /* Open MPI's own MPI-IO cannot */
    PLAIN(File_get_atomicity, 3, file, &value);
    REFUSABLE(File_set_atomicity, file, 0);
    PLAIN(File_get_info, 1, file, &info);
    PLAIN(File_set_info, 2, file, info);
    PLAIN(Info_free, 1, &info);
    PLAIN(File_get_group, 1, file, &group);
    PLAIN(Group_free, 1, &group);
    PLAIN(File_sync, 2, file);
}

#ifdef LARGE
#define NO_CONVERSION MPI_CONVERSION_FN_NULL_C
#else
#define NO_CONVERSION MPI_CONVERSION_FN_NULL
#endif

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)type;
    (void)state;
    *extent = 4;
    return MPI_SUCCESS;
}

void files_management(void)
{
    char path[4096], representation[64];
    MPI_File file;
    snprintf(path, sizeof path, "%s/managed",
             getenv("ORACLE_OUTPUT") ? getenv("ORACLE_OUTPUT") : "/tmp");
    for (int turn = 0; turn < 2; turn++) {
        PLAIN(File_open, 1, MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
              &file);
        if (turn == 0) {
            errors_of(file);
            layout(file);
            state(file);
        }
        PLAIN(File_close, 1, &file);
    }
    PLAIN(Barrier, 1, MPI_COMM_WORLD);
    PLAIN(File_set_errhandler, 1, MPI_FILE_NULL, MPI_ERRORS_RETURN);
    if (rank == 0)
        PLAIN(File_delete, 1, path, MPI_INFO_NULL);
    for (int turn = 0; turn < 2; turn++) {
        snprintf(representation, sizeof representation, "oracle%d", turn);
        LARGE_REFUSABLE(Register_datarep, representation, NO_CONVERSION, NO_CONVERSION, extent_of,
                        NULL);
    }
}
