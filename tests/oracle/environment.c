/* Questions to the library about itself, and time. */
#include "oracle.h"

static void values(void)
{
    double time = 0, tick = 0;
    MPI_Aint sum = 0, difference = 0;
    for (int at = 0; at < 7; at++)
        VALUE(Wtime, time);
    for (int at = 0; at < 3; at++)
        VALUE(Wtick, tick);
    for (int at = 0; at < 2; at++)
        VALUE(Aint_add, sum, 8, 4);
    for (int at = 0; at < 5; at++)
        VALUE(Aint_diff, difference, 8, 4);
    VERIFY(time >= 0 && tick >= 0 && sum + difference >= 0);
}

static void interface(void)
{
#if HAVE_Abi_get_version
    int major, minor, flag, bytes;
    MPI_Info info;
    char yes[16], no[16];
    PLAIN(Abi_get_version, 3, &major, &minor);
    PLAIN(Abi_get_info, 1, &info);
    if (info != MPI_INFO_NULL)
        PLAIN(Info_free, 1, &info);
    PLAIN(Abi_get_fortran_info, 1, &info);
    if (info != MPI_INFO_NULL)
        PLAIN(Info_free, 1, &info);
    PLAIN(Type_size, 1, MPI_LOGICAL, &bytes);
    PLAIN(Abi_get_fortran_booleans, 1, bytes, yes, no, &flag);
#endif
}

void environment(void)
{
    int flag, level, major, minor, length;
    char name[MPI_MAX_PROCESSOR_NAME], version[MPI_MAX_LIBRARY_VERSION_STRING];
    PLAIN(Initialized, 3, &flag);
    VERIFY(flag);
    PLAIN(Finalized, 5, &flag);
    VERIFY(!flag);
    PLAIN(Query_thread, 3, &level);
    PLAIN(Is_thread_main, 2, &flag);
    VERIFY(level == MPI_THREAD_MULTIPLE && flag);
    PLAIN(Get_processor_name, 3, name, &length);
    PLAIN(Get_version, 2, &major, &minor);
    PLAIN(Get_library_version, 3, version, &length);
    PLAIN(Pcontrol, 5, 1);
    PLAIN(Pcontrol, 2, 2);
    values();
    interface();
}
