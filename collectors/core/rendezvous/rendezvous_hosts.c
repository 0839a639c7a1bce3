/* A file a host, whose name holds its count. The decision is a symbolic link: made by the first,
 * read by all others. On network file systems making a link is atomic, and making anything in a
 * folder brings its cached listing up to date. */
#define _GNU_SOURCE
#include "rendezvous.h"
#include "launch.h"
#include "marks.h"
#include "rendezvous_hosts.h"
#include "settings.h"
#include "waiting.h"
#include "bounded.h"
#include "spool.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const double TIMEOUT = 5; /* seconds, for other hosts' files to be seen here */
static const char *const names[] = { "", "together", "apart" };
static char folder[4096], own[256], promise[256];

static int make_file(const char *name)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static void remove_file(const char *name)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static uint32_t decided(void)
{
    char path[4200], word[32];
    snprintf(path, sizeof path, "%s/decision", folder);
    ssize_t length = readlink(path, word, sizeof word - 1);
    if (length <= 0)
        return 0;
    word[length] = 0;
    return strcmp(word, names[RENDEZVOUS_TOGETHER]) ? RENDEZVOUS_APART : RENDEZVOUS_TOGETHER;
}

/* What the first proposed, be it this process or another. */
static uint32_t propose(uint32_t wish)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/decision", folder);
    if (symlink(names[wish], path) == 0)
        return wish;
    uint32_t first = decided();
    return first ? first : RENDEZVOUS_APART;
}

struct hosts {
    long files, promises, count;
    uint64_t sum;
};

static void add_host(struct hosts *hosts, const char *name)
{
    unsigned long long part = 0;
    long here = 0;
    const char *at = strstr(name, ".of.");
    hosts->promises += name[0] == 'p';
    if (name[0] != 'h')
        return;
    hosts->files++;
    if (at && sscanf(at, ".of.%ld.%llx", &here, &part) == 2) {
        hosts->count += here;
        hosts->sum += part;
    }
}

/* As the kernel hands it out: readdir allocates, which `bounded` forbids. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t kind;
    char name[];
};

static struct hosts look(void)
{
    struct hosts hosts = { 0, 0, 0, 0 };
    _Alignas(8) char entries[8192];
    const int listing = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long size = 0;
    while (listing >= 0 && (size = syscall(SYS_getdents64, listing, entries, sizeof entries)) > 0) {
        for (long at = 0; at < size; at += ((struct entry *)(entries + at))->length)
            add_host(&hosts, ((struct entry *)(entries + at))->name);
    }
    if (listing >= 0)
        close(listing);
    return hosts;
}

/* Do the counts of all hosts' files add up to the world? */
static int all_there(int size)
{
    const struct hosts hosts = look();
    return hosts.count == size && hosts.sum == marks_of_all(size);
}

static int all_promised(int size)
{
    const struct hosts hosts = look();
    return hosts.count == size && hosts.sum == marks_of_all(size) && hosts.promises == hosts.files;
}

/* Until it holds, somebody has decided, or it took too long. */
static uint32_t wait_until(int (*holds)(int size), int size, double seconds)
{
    char probe[64], host[64] = "";
    uint32_t decision = 0;
    gethostname(host, sizeof host - 1);
    snprintf(probe, sizeof probe, ".look-%.20s-%d", host, (int)getpid());
    const double begin = waiting_clock();
    for (int turn = 6; !(decision = decided()); turn++) {
        if (holds(size))
            return RENDEZVOUS_TOGETHER;
        if (waiting_clock() > begin + seconds)
            return RENDEZVOUS_APART;
        for (int i = 6; i < turn && i < 12; i++)
            waiting_pause(8);
        if (make_file(probe))
            remove_file(probe);
    }
    return decision;
}

/* Where a spool is: its own process, which may be left behind. It proposes nothing that anybody
 * would wait for. */
static int meet(void *argument)
{
    const int size = *(const int *)argument;
    if (!make_file(own))
        return RENDEZVOUS_APART;
    return (int)wait_until(all_there, size, setting_finish_seconds());
}

/* Nobody decides for all before each host has promised to wait for the decision. So a host whose
 * spool hangs goes its own way until it has promised. After that, for the milliseconds in which the
 * last promise is seen by all, it waits for its spool: others may be in a collective call that
 * needs it, and no limit of time could tell. */
static uint32_t meet_in_spool(int size)
{
    const double limit = setting_finish_seconds() + 2;
    if (bounded(meet, &size, limit) != RENDEZVOUS_TOGETHER || !make_file(promise))
        return RENDEZVOUS_APART;
    return propose(wait_until(all_promised, size, TIMEOUT));
}

static void name_folder(void)
{
    char spool[4200];
    const unsigned long long key = launch_key();
    if (!*setting_spool()) {
        snprintf(folder, sizeof folder, "%.4000s/rendezvous-%016llx", setting_output(), key);
        return;
    }
    spool_folder(spool, sizeof spool);
    snprintf(folder, sizeof folder, "%.4000s/rendezvous-%s-%016llx", spool, setting_run(), key);
}

/* In a spool others may have taken the name: what they put there could let ranks wait for nobody.
 */
static int is_mine(void)
{
    struct stat facts;
    return !lstat(folder, &facts) && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid();
}

/* Does the spool answer? Asked before this host's file is there: once another host may have counted
 * it, nobody may go his own way any more. */
static int answers(void *argument)
{
    (void)argument;
    char probe[32];
    snprintf(probe, sizeof probe, ".probe-%d", (int)getpid());
    mkdir(folder, 0700);
    if (!is_mine() || !make_file(probe))
        return 0;
    remove_file(probe);
    return 1;
}

uint32_t rendezvous_hosts(int count, uint64_t sum, int size, int complete)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    name_folder();
    snprintf(own, sizeof own, "h-%s-%d.of.%d.%llx", host, (int)getpid(), count,
             (unsigned long long)sum);
    snprintf(promise, sizeof promise, "p%s", own + 1);
    /* An earlier launch of this job may have left a decision where launches have no names. */
    if (*setting_spool() && (!launch_has_name() || bounded(answers, NULL, 2) != 1))
        return RENDEZVOUS_APART;
    if (complete && *setting_spool())
        return meet_in_spool(size);
    mkdir(folder, 0700);
    if (!make_file(own))
        return RENDEZVOUS_APART;
    return propose(complete ? wait_until(all_there, size, TIMEOUT) : RENDEZVOUS_APART);
}

/* The last host takes the decision with it. */
static int leave(void *argument)
{
    (void)argument;
    remove_file(promise);
    remove_file(own);
    if (!look().files) {
        remove_file("decision");
        rmdir(folder);
    }
    return 0;
}

void rendezvous_end(void)
{
    if (*own && *setting_spool())
        bounded(leave, NULL, 1);
    else if (*own)
        leave(NULL);
}
