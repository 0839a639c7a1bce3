#include "reference.h"
#include "clock.h"
#include "lifecycle.h"
#include <stdlib.h>

enum { SMALLEST = 1 << 10, FACTOR_BITS = 2, ROUNDS = 20, FEWEST = 5, TAG_REFERENCE = 9 };

/* One size takes no longer than this, and no size is tried of which one message would. */
static const double longest = 3e-3;

size_t reference_bytes(int i) { return (size_t)SMALLEST << FACTOR_BITS * i; }

static int there_and_back(char *bytes, size_t size, int partner)
{
    return real.Send(bytes, (int)size, MPI_BYTE, partner, TAG_REFERENCE, job.comm) == MPI_SUCCESS
        && real.Recv(bytes, (int)size, MPI_BYTE, partner, TAG_REFERENCE, job.comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

/* The shortest of some rounds, since whatever gets in the way makes one longer; the first one opens connections and touches memory. Halved: one way. */
static double measure(char *bytes, size_t size, int partner)
{
    const double tick = clock_seconds_per_tick();
    double least = 0, sum = 0;
    for (int round = 0; round < ROUNDS && (round < FEWEST || sum < longest); round++) {
        const uint64_t begin = clock_ticks();
        if (!there_and_back(bytes, size, partner))
            return 0;
        const double time = (double)(clock_ticks() - begin) * tick;
        sum += time;
        least = round == 1 || time < least ? time : least;
    }
    return least / 2;
}

static struct reference lead(char *bytes, int partner)
{
    struct reference reference = { { 0 } };
    for (int i = 0; bytes && i < REFERENCES && (!i || (reference.time[i - 1] > 0 && reference.time[i - 1] * (1 << FACTOR_BITS) < longest)); i++)
        reference.time[i] = measure(bytes, reference_bytes(i), partner);
    real.Send(bytes, 0, MPI_BYTE, partner, TAG_REFERENCE, job.comm);
    return reference;
}

/* Sends back what comes, until nothing does. */
static void follow(char *bytes, size_t room, int partner)
{
    MPI_Status status;
    for (int size = 1; size > 0;) {
        if (real.Recv(bytes, (int)room, MPI_BYTE, partner, TAG_REFERENCE, job.comm, &status) != MPI_SUCCESS || real.Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS)
            return;
        if (size > 0 && real.Send(bytes, size, MPI_BYTE, partner, TAG_REFERENCE, job.comm) != MPI_SUCCESS)
            return;
    }
}

/* First the other one says whether it has the memory. */
struct reference reference_measure(int partner, int leads)
{
    struct reference reference = { { 0 } };
    const size_t room = reference_bytes(REFERENCES - 1);
    char *bytes = calloc(1, room);
    int ready = bytes != NULL;
    if (leads && real.Recv(&ready, 1, MPI_INT, partner, TAG_REFERENCE, job.comm, MPI_STATUS_IGNORE) == MPI_SUCCESS && ready)
        reference = lead(bytes, partner);
    else if (!leads && real.Send(&ready, 1, MPI_INT, partner, TAG_REFERENCE, job.comm) == MPI_SUCCESS && ready)
        follow(bytes, room, partner);
    free(bytes);
    return reference;
}

double reference_time(const struct reference *reference, double bytes)
{
    int above = 0;
    while (above < REFERENCES && reference->time[above] > 0 && (double)reference_bytes(above) < bytes)
        above++;
    if (above == 0)
        return reference->time[0];
    if (above == REFERENCES || !(reference->time[above] > 0))
        above--;   /* beyond the largest */
    if (above == 0)
        return 0;
    const double low = (double)reference_bytes(above - 1), high = (double)reference_bytes(above), *time = &reference->time[above];
    const double slope = (*time - time[-1]) / (high - low), at = time[-1] + slope * (bytes - low);
    return at > time[-1] ? at : time[-1];
}
