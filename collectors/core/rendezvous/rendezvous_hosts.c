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
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double TIMEOUT = 5; /* seconds, for other hosts' files to be seen here */
static const char *const names[] = { "", "together", "apart" };
static char folder[4096], own[256];

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

/* Do the counts of all hosts' files add up to the world? */
static int all_there(int size)
{
    long count = 0;
    uint64_t sum = 0;
    DIR *listing = opendir(folder);
    struct dirent *entry;
    while (listing && (entry = readdir(listing))) {
        unsigned long long part = 0;
        long here = 0;
        const char *at = strstr(entry->d_name, ".of.");
        if (entry->d_name[0] == 'h' && at && sscanf(at, ".of.%ld.%llx", &here, &part) == 2) {
            count += here;
            sum += part;
        }
    }
    if (listing)
        closedir(listing);
    return count == size && sum == marks_of_all(size);
}

static uint32_t wait_for_hosts(int size)
{
    char probe[64], host[64] = "";
    uint32_t decision = 0;
    gethostname(host, sizeof host - 1);
    snprintf(probe, sizeof probe, ".look-%.20s-%d", host, (int)getpid());
    const double begin = waiting_clock();
    for (int turn = 6; !(decision = decided()); turn++) {
        if (all_there(size))
            return propose(RENDEZVOUS_TOGETHER);
        if (waiting_clock() > begin + TIMEOUT)
            return propose(RENDEZVOUS_APART);
        for (int i = 6; i < turn && i < 12; i++)
            waiting_pause(8);
        if (make_file(probe))
            remove_file(probe);
    }
    return decision;
}

uint32_t rendezvous_hosts(int count, uint64_t sum, int size, int complete)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    snprintf(folder, sizeof folder, "%.4000s/rendezvous-%016llx", setting_output(),
             (unsigned long long)launch_key());
    mkdir(folder, 0700);
    snprintf(own, sizeof own, "h-%s-%d.of.%d.%llx", host, (int)getpid(), count,
             (unsigned long long)sum);
    if (!make_file(own))
        return RENDEZVOUS_APART;
    return complete ? wait_for_hosts(size) : propose(RENDEZVOUS_APART);
}

/* The last host takes the decision with it. */
void rendezvous_end(void)
{
    int others = 0;
    if (!*own)
        return;
    remove_file(own);
    DIR *listing = opendir(folder);
    struct dirent *entry;
    while (listing && (entry = readdir(listing)))
        others += entry->d_name[0] == 'h';
    if (listing)
        closedir(listing);
    if (!others) {
        remove_file("decision");
        rmdir(folder);
    }
}
