/* The end of a record's file when its rank ends, and removal of old files of killed ranks. */
#define _GNU_SOURCE
#include "record.h"
#include "file_room.h"
#include "local_folder.h"
#include "settings.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_FILES = 1024,
    PAGE = 4096,
    OLD_SECONDS = 24 * 3600
}; /* thousands of files at once would load a file system's server */

static int is_empty(const char *page)
{
    return !*page && !memcmp(page, page + 1, PAGE - 1);
}

/* Pages that hold nothing are left out: most of a record was never touched. */
static int copy(int from, int to, off_t size)
{
    char page[PAGE];
    for (off_t at = 0; at < size; at += PAGE) {
        ssize_t length = pread(from, page, PAGE, at);
        if (length != PAGE)
            return 0;
        if (!is_empty(page) && pwrite(to, page, PAGE, at) != PAGE)
            return 0;
    }
    return ftruncate(to, size) == 0;
}

static int copy_into_result(int from, off_t size)
{
    char draft[4600], final[4600];
    const char *name = strrchr(record_file_name(), '/') + 1;
    snprintf(draft, sizeof draft, "%.4000s/.%s.draft", setting_output(), name);
    snprintf(final, sizeof final, "%.4000s/%s", setting_output(), name);
    int to = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (to < 0)
        return 0;
    int good = copy(from, to, size);
    good = close(to) == 0 && good && rename(draft, final) == 0;
    if (!good)
        unlink(draft);
    return good;
}

/* No allocation: exit() may have been called from a signal handler. */
void record_hand_over(void)
{
    struct stat facts;
    const int from =
        *setting_output() && record->rank.ranks <= MOST_FILES ? record_file(O_RDONLY) : -1;
    if (from < 0)
        return;
    const int good = !fstat(from, &facts) && file_may_grow_to((uint64_t)facts.st_size) &&
                     copy_into_result(from, facts.st_size);
    close(from);
    if (good)
        record_remove();
}

/* advisor-RUN-PID.record or advisor-RUN-KEY.rendezvous; of the second kind nobody waits for a day.
 */
static int is_left_over(int folder, const char *name)
{
    struct stat facts;
    const char *dot = strrchr(name, '.'), *dash = strrchr(name, '-');
    if (strncmp(name, "advisor-", 8) || !dot || !dash ||
        (strcmp(dot, ".record") && strcmp(dot, ".rendezvous")))
        return 0;
    if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) || !S_ISREG(facts.st_mode) ||
        facts.st_uid != geteuid() || time(NULL) - facts.st_mtime < OLD_SECONDS)
        return 0;
    int pid = strcmp(dot, ".record") ? 0 : atoi(dash + 1);
    return pid <= 0 || (kill(pid, 0) && errno == ESRCH);
}

static void clear(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (is_left_over(dirfd(folder), entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

/* Also where all may write: files of an older version, and those for which there was no own folder.
 */
void record_clear_old(void)
{
    clear(local_folder(0));
    if (strcmp(local_folder(0), local_file_system(0)))
        clear(local_file_system(0));
}
