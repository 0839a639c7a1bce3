#include "file_room.h"
#include <stddef.h>
#include <sys/resource.h>
#include <sys/vfs.h>

/* Beyond the user's limit of the size of files (ulimit -f), growing one would end the process by
 * SIGXFSZ. */
int file_may_grow_to(uint64_t size)
{
    struct rlimit limit;
    return !getrlimit(RLIMIT_FSIZE, &limit) &&
           (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

/* Write-back to a network file system would stall the rank: only file systems of this host will do.
 */
int folder_holds(const char *folder, uint64_t size)
{
    static const unsigned long network[] = { 0x6969,     0x0BD00BD0, 0x47504653, 0x65735546,
                                             0x19830326, 0xFF534D42, 0xFE534D42, 0x0033474C };
    struct statfs facts;
    if (statfs(folder, &facts))
        return 0;
    for (size_t i = 0; i < sizeof network / sizeof *network; i++)
        if ((unsigned long)facts.f_type == network[i])
            return 0;
    return (uint64_t)facts.f_bavail * (uint64_t)facts.f_bsize > size;
}
