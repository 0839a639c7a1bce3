#define _GNU_SOURCE
#include "settings.h"
#include "pieces.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECES = 2, SMALLEST = 64 };
static const long THRESHOLD = 256 * 1024;
static int pieces = 1;
static long threshold;

/* The number in a variable; `otherwise` if it is not set or no number. */
static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : otherwise;
    return text && (end == text || *end || value < 0) ? otherwise : value;
}

static int cores(void)
{
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) ? PIECES : CPU_COUNT(&mask);
}

/* Without a wish two pieces, where a second thread has a core to run on. */
int settings_wanted(void)
{
    long wanted = number("ADVISOR_ENDPOINTS", cores() < PIECES ? 1 : PIECES);
    return wanted < 1 ? 1 : wanted > MOST_PIECES ? MOST_PIECES : (int)wanted;
}

static void tell(int level)
{
    int rank;
    library()->Comm_rank(world(), &rank);
    if (rank != 0 || !number("ADVISOR_ENDPOINTS_SAY", 0))
        return;
    if (level != MPI_THREAD_MULTIPLE && settings_wanted() > 1)
        fputs("advisor-endpoints: this MPI library does not provide MPI_THREAD_MULTIPLE: "
              "reductions stay whole\n",
              stderr);
    else if (pieces < 2)
        fputs("advisor-endpoints: reductions stay whole: a rank asks for it, or has one core\n",
              stderr);
    else
        fprintf(stderr, "advisor-endpoints: MPI_Allreduce from %ld bytes on in %d pieces\n",
                threshold, pieces);
}

void settings_agree(int level)
{
    long bytes = number("ADVISOR_ENDPOINTS_BYTES", THRESHOLD);
    long own[2] = { level == MPI_THREAD_MULTIPLE ? settings_wanted() : 1,
                    bytes < SMALLEST ? -SMALLEST : -bytes },
         all[2];
    if (library()->Allreduce(own, all, 2, long_integer(), minimum(), world()) != MPI_SUCCESS)
        return;
    threshold = -all[1];
    pieces = (int)all[0];
    tell(level);
}

int settings_pieces(void)
{
    return pieces;
}
long settings_threshold(void)
{
    return threshold;
}
