#define _GNU_SOURCE
#include "local_folder.h"
#include "settings.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 400, FOLDERS = 3, ATTEMPTS = 4 };

const char *local_file_system(unsigned index)
{
    const char *temporary = setting("TMPDIR");
    const char *const folders[FOLDERS] = {
        "/dev/shm", temporary && strlen(temporary) < LONGEST - 32 ? temporary : "", "/tmp"
    };
    return index < FOLDERS ? folders[index] : NULL;
}

static int is_own(const struct stat *facts)
{
    return S_ISDIR(facts->st_mode) && facts->st_uid == geteuid() && (facts->st_mode & 0777) == 0700;
}

static void own_name(char *name, size_t size)
{
    snprintf(name, size, "/advisor-%u", (unsigned)geteuid());
}

/* Whoever comes first may take the name: then the folder that all share must do. What we open there
 * is new, and ours. */
const char *local_folder(unsigned index)
{
    static char own[FOLDERS][LONGEST];
    const char *shared = local_file_system(index);
    char name[32];
    struct stat facts;
    if (!shared || !*shared)
        return shared;
    own_name(name, sizeof name);
    snprintf(own[index], LONGEST, "%.360s%s", shared, name);
    if (lstat(own[index], &facts))
        return errno == ENOENT ? own[index] : shared;
    return is_own(&facts) ? own[index] : shared;
}

/* The own folder that a file lies in; 0 if it lies elsewhere. */
static int own_folder_of(const char *path, char *folder, size_t size)
{
    char name[32];
    const char *slash = strrchr(path, '/');
    own_name(name, sizeof name);
    if (!slash || (size_t)(slash - path) >= size || (size_t)(slash - path) < strlen(name) ||
        strncmp(slash - strlen(name), name, strlen(name)))
        return 0;
    snprintf(folder, size, "%.*s", (int)(slash - path), path);
    return 1;
}

/* Judged by its descriptor: between two looks at a name somebody may put a link there. */
static int open_in_own(const char *folder, const char *name, int flags)
{
    struct stat facts;
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), file = -1;
    if (at < 0)
        return -1;
    errno = EACCES;
    if (!fstat(at, &facts) && is_own(&facts))
        file = openat(at, name, flags, 0600);
    const int why = errno;
    close(at);
    errno = why;
    return file;
}

int local_open(const char *path, int flags)
{
    char folder[LONGEST];
    flags |= O_CREAT | O_CLOEXEC | O_NOFOLLOW;
    if (!own_folder_of(path, folder, sizeof folder))
        return open(path, flags, 0600);
    int file = -1;
    errno = ENOENT;
    /* Another job of this user that ends may remove the folder before the file is in it. */
    for (int i = 0; file < 0 && errno == ENOENT && i < ATTEMPTS; i++) {
        mkdir(folder, 0700);
        file = open_in_own(folder, strrchr(path, '/') + 1, flags);
    }
    return file;
}

void local_remove(const char *path)
{
    char folder[LONGEST];
    unlink(path);
    if (own_folder_of(path, folder, sizeof folder))
        rmdir(folder);
}
