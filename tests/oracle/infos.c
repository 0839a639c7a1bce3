/* Info objects. */
#include "oracle.h"

void infos(void)
{
    MPI_Info info, copy;
    int flag, length = 64;
    char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY + 1];
    PLAIN(Info_create, 1, &info);
    PLAIN(Info_set, 3, info, "key", "value");
    PLAIN(Info_get, 5, info, "key", 64, value, &flag);
    VERIFY(flag && strcmp(value, "value") == 0);
    PLAIN(Info_get_valuelen, 2, info, "key", &length, &flag);
    PLAIN(Info_get_nkeys, 3, info, &length);
    VERIFY(length == 1);
    PLAIN(Info_get_nthkey, 2, info, 0, key);
    length = 64;
    PLAIN(Info_get_string, 3, info, "key", &length, value, &flag);
    for (int at = 0; at < 3; at++) {
        PLAIN(Info_dup, 1, info, &copy);
        PLAIN(Info_free, 1, &copy);
    }
    PLAIN(Info_delete, 1, info, "key");
    PLAIN(Info_free, 1, &info);
#if HAVE_Info_create_env
    PLAIN(Info_create_env, 1, 0, NULL, &info);
    PLAIN(Info_free, 1, &info);
#endif
#if HAVE_Get_hw_resource_info
    PLAIN(Get_hw_resource_info, 1, &info);
    PLAIN(Info_free, 1, &info);
#endif
}
