/* One host: a page in memory, on which each process adds itself before MPI_Init and says its rank
 * after it. */
#define _GNU_SOURCE
#include "rendezvous.h"
#include "file_room.h"
#include "launch.h"
#include "local_folder.h"
#include "marks.h"
#include "rendezvous_hosts.h"
#include "settings.h"
#include "waiting.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };
static const uint32_t CLOSED = 1u << 31;
static const double TIMEOUT = 20; /* seconds, for those on the page to come out of MPI_Init */
static const double GRACE = 0.5;  /* for those that a launcher has started here to come onto it */

/* `sum` of the marks of those that are confirmed. `confirmed` is closed when it was taken for the
 * decision: whoever comes later belongs to another world of the same name. */
struct page {
    uint32_t arrived, confirmed, decision, left;
    int32_t first, leader;
    uint64_t sum;
};
static struct page *page;
static char page_path[512];

static int gone(pid_t pid)
{
    return pid > 0 && kill(pid, 0) && errno == ESRCH;
}

/* A page whose first process has died is left over from another job of that name. */
static struct page *open_page(const char *folder, int again)
{
    struct stat facts;
    snprintf(page_path, sizeof page_path, "%.400s/advisor-%s-%016llx.rendezvous", folder,
             setting_run(), (unsigned long long)launch_key());
    int file = local_open(page_path, O_RDWR);
    if (file < 0)
        return NULL;
    struct page *found = MAP_FAILED;
    /* Without room reserved, the first touch would end the process by SIGBUS. */
    if (!fstat(file, &facts) && facts.st_uid == geteuid() && !posix_fallocate(file, 0, PAGE))
        found = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (found == MAP_FAILED)
        return NULL;
    madvise(found, PAGE, MADV_DONTFORK);
    if (again && gone(__atomic_load_n(&found->first, __ATOMIC_ACQUIRE))) {
        munmap(found, PAGE);
        local_remove(page_path);
        return open_page(folder, 0);
    }
    return found;
}

void rendezvous_arrive(void)
{
    if (!setting_keeps() || setting_gather() != GATHER_ASK || !file_may_grow_to(PAGE))
        return;
    for (unsigned i = 0; !page && local_folder(i); i++)
        page = *local_folder(i) ? open_page(local_folder(i), 1) : NULL;
    if (!page)
        return;
    int32_t nobody = 0;
    __atomic_compare_exchange_n(&page->first, &nobody, (int32_t)getpid(), 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    __atomic_add_fetch(&page->arrived, 1, __ATOMIC_ACQ_REL);
}

static uint32_t arrived(void)
{
    return __atomic_load_n(&page->arrived, __ATOMIC_ACQUIRE);
}
static uint32_t confirmed(void)
{
    return __atomic_load_n(&page->confirmed, __ATOMIC_ACQUIRE);
}

/* The first to come decides for its host. */
static uint32_t decide(int size)
{
    const uint32_t here = (uint32_t)launch_local_size();
    const double begin = waiting_clock();
    for (int turn = 0; confirmed() < (uint32_t)size && waiting_clock() < begin + TIMEOUT; turn++) {
        if (confirmed() == arrived() && (arrived() >= here || waiting_clock() > begin + GRACE))
            break;
        waiting_pause(turn);
    }
    uint32_t count = arrived();
    const uint64_t sum = __atomic_load_n(&page->sum, __ATOMIC_ACQUIRE);
    if (!__atomic_compare_exchange_n(&page->confirmed, &count, count | CLOSED, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        count = 0; /* more came than confirmed: another world, or one of ours that is stuck */
    if (count == (uint32_t)size)
        return sum == marks_of_all(size) ? RENDEZVOUS_TOGETHER : RENDEZVOUS_APART;
    if (launch_is_on_one_host(size))
        return RENDEZVOUS_APART;
    return rendezvous_hosts((int)count, sum, size, count && count >= here);
}

/* The leader's answer, for as long as there is a leader. */
static uint32_t follow(void)
{
    uint32_t decision = 0;
    for (int turn = 0; !(decision = __atomic_load_n(&page->decision, __ATOMIC_ACQUIRE)); turn++) {
        if (gone(__atomic_load_n(&page->leader, __ATOMIC_ACQUIRE)))
            return RENDEZVOUS_APART;
        waiting_pause(turn);
    }
    return decision;
}

void rendezvous_withdraw(void)
{
    if (!page)
        return;
    if (__atomic_add_fetch(&page->left, 1, __ATOMIC_ACQ_REL) >= arrived())
        local_remove(page_path);
    munmap(page, PAGE);
    page = NULL;
}

int rendezvous_complete(int rank, int size)
{
    if (!page || size == 1) {
        rendezvous_withdraw();
        return setting_gather() == GATHER_YES || (size == 1 && setting_gather() == GATHER_ASK);
    }
    int32_t nobody = 0;
    int leads = __atomic_compare_exchange_n(&page->leader, &nobody, (int32_t)getpid(), 0,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    __atomic_add_fetch(&page->sum, marks_of(rank), __ATOMIC_ACQ_REL);
    const int late = (__atomic_fetch_add(&page->confirmed, 1, __ATOMIC_ACQ_REL) & CLOSED) != 0;
    uint32_t decision = late ? RENDEZVOUS_APART : leads ? decide(size) : follow();
    if (leads)
        __atomic_store_n(&page->decision, decision, __ATOMIC_RELEASE);
    rendezvous_withdraw();
    return decision == RENDEZVOUS_TOGETHER;
}
