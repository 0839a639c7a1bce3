#define _GNU_SOURCE
#include "spool.h"
#include "bounded.h"
#include "file_room.h"
#include "settings.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 16 << 20, PATH = 4400 };
static const double LIMIT = 2; /* seconds; a local disk takes a thousandth of that */

void spool_folder(char *path, size_t size)
{
    const time_t now = time(NULL);
    struct tm day;
    gmtime_r(&now, &day);
    snprintf(path, size, "%.4000s/%04d/%02d/%02d", setting_spool(), 1900 + day.tm_year,
             1 + day.tm_mon, day.tm_mday);
}

struct delivery {
    char full[PATH], draft[PATH], target[PATH], other[PATH];
    const char *bytes;
    size_t size;
};

static int is_mine(const char *path)
{
    struct stat facts;
    return !lstat(path, &facts) && facts.st_uid == geteuid();
}

static int write_all(int file, const char *bytes, size_t size)
{
    while (size) {
        const ssize_t written = write(file, bytes, size);
        if (written <= 0)
            return 0;
        bytes += written;
        size -= (size_t)written;
    }
    return 1;
}

/* A name that somebody else took costs no profile; one that this user has is taken for good, and
 * nothing is missing: a step leaves one profile, whatever it starts. */
static int give_name(const struct delivery *delivery)
{
    if (!link(delivery->draft, delivery->target))
        return 1;
    return errno == EEXIST &&
           (is_mine(delivery->target) || !link(delivery->draft, delivery->other));
}

/* In a process that shares this one's memory: no allocation. */
static int deliver(void *argument)
{
    const struct delivery *delivery = argument;
    if (!access(delivery->full, F_OK))
        return 0;
    const int file =
        open(delivery->draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return 0;
    int good = write_all(file, delivery->bytes, delivery->size) && !fchmod(file, 0640);
    good = !close(file) && good && give_name(delivery);
    unlink(delivery->draft);
    return good;
}

/* The ingest takes no other names. */
static int is_name(const char *name)
{
    if (!name || !*name || strlen(name) > 160)
        return 0;
    while (isalnum((unsigned char)*name) || (*name && strchr("_-.", *name)))
        name++;
    return !*name;
}

static uint32_t chance(void)
{
    uint32_t value = 0;
    const void *bytes = (const void *)getauxval(AT_RANDOM);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return value;
}

int spool_deliver(const char *bytes, size_t size)
{
    static struct delivery delivery;
    char folder[4200];
    const char *name = setting("ADVISOR_SPOOL_NAME");
    if (!is_name(name) || size > LARGEST || !file_may_grow_to(size))
        return 0;
    spool_folder(folder, sizeof folder);
    snprintf(delivery.full, PATH, "%.4000s/full", setting_spool());
    snprintf(delivery.draft, PATH, "%s/.%s.%08x.%d", folder, name, chance(), (int)getpid());
    snprintf(delivery.target, PATH, "%s/%s.profile", folder, name);
    snprintf(delivery.other, PATH, "%s/%s_%08x.profile", folder, name, chance());
    delivery.bytes = bytes;
    delivery.size = size;
    return bounded(deliver, &delivery, LIMIT) == 1;
}

static int touch(void *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
    return file >= 0 && !close(file);
}

void spool_tell_missing(const char *why)
{
    static char path[PATH];
    char folder[4200];
    const char *name = setting("ADVISOR_SPOOL_NAME");
    if (!*setting_spool() || !is_name(name))
        return;
    spool_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%s.missing-%s", folder, name, why);
    bounded(touch, path, LIMIT / 2);
}
