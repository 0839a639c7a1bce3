#include "reference.h"
#include "clock.h"
#include "job.h"
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 1 << 10, FACTOR_BITS = 2, PASSES = 3, ROUNDS = 20, FEWEST = 4 };
/* What the other one does with a message: it answers with nothing, does something else for a while,
 * or stops. */
enum { TAG_READY = 9, TAG_ANSWERED, TAG_PAUSE, TAG_LAST };

/* Seconds: no size is tried of which one message would take longer; one size takes no longer in a
 * pass; something else is done for so long: after a tenth of it messages took no longer than
 * without, after all of it up to ten times as long. */
static const double longest = 3e-3, longest_pass = 1e-3, pause_time = 2e-3;

size_t reference_bytes(int i)
{
    return (size_t)SMALLEST << FACTOR_BITS * i;
}

/* Seconds; 0: not measured. */
static double message_time(char *bytes, size_t size, int partner)
{
    const uint64_t begin = clock_ticks();
    if (real.Send(bytes, (int)size, MPI_BYTE, partner, TAG_ANSWERED, job.comm) != MPI_SUCCESS ||
        real.Recv(bytes, 0, MPI_BYTE, partner, TAG_ANSWERED, job.comm, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS)
        return 0;
    return (double)(clock_ticks() - begin) * clock_seconds_per_tick();
}

static double lesser(double known, double time)
{
    return known > 0 && known < time ? known : time;
}

/* The shortest of some rounds, since whatever gets in the way makes one longer; the first one opens
 * connections and touches memory. */
static double shortest_time(char *bytes, size_t size, int partner)
{
    double least = 0, sum = 0;
    for (int round = 0; round < ROUNDS && (round < FEWEST || sum < longest_pass); round++) {
        const double time = message_time(bytes, size, partner);
        if (!(time > 0))
            return 0;
        sum += time;
        least = round ? lesser(least, time) : 0;
    }
    return least;
}

static void pause_here(void)
{
    for (const uint64_t begin = clock_ticks();
         (double)(clock_ticks() - begin) * clock_seconds_per_tick() < pause_time;)
        ;
}

/* Of a message after both ranks have done something else, as those of the program: what it goes
 * through is in no near cache then. */
static double later_time(char *bytes, size_t size, int partner)
{
    if (real.Send(bytes, 0, MPI_BYTE, partner, TAG_PAUSE, job.comm) != MPI_SUCCESS)
        return 0;
    pause_here();
    return message_time(bytes, size, partner);
}

static double middle(const double times[PASSES])
{
    const double low = times[0] < times[1] ? times[0] : times[1],
                 high = times[0] < times[1] ? times[1] : times[0];
    return times[2] < low ? low : times[2] > high ? high : times[2];
}

/* Of the sizes that it gets to: in `least` the shortest of the passes so far, in `later` what this
 * pass has. */
static void measure_sizes(double least[REFERENCES], double later[REFERENCES], char *bytes,
                          int partner, double largest)
{
    for (int i = 0; i < REFERENCES; i++) {
        if (i && (least[i - 1] * (1 << FACTOR_BITS) > longest ||
                  (double)reference_bytes(i - 1) >= largest))
            return;
        const double time = shortest_time(bytes, reference_bytes(i), partner);
        later[i] = time > 0 ? later_time(bytes, reference_bytes(i), partner) : 0;
        if (!(later[i] > 0))
            return;
        least[i] = lesser(lesser(least[i], time), later[i]);
    }
}

/* In passes over all sizes: what slows down some messages lasts longer than they do. A size is
 * measured if all passes had it. */
static struct reference lead(char *bytes, int partner, double largest)
{
    struct reference reference = { { 0 }, { 0 } };
    double later[PASSES][REFERENCES] = { { 0 } };
    for (int pass = 0; bytes && pass < PASSES; pass++)
        measure_sizes(reference.least, later[pass], bytes, partner, largest);
    real.Send(bytes, 0, MPI_BYTE, partner, TAG_LAST, job.comm);
    for (int i = 0; i < REFERENCES; i++) {
        const double times[PASSES] = { later[0][i], later[1][i], later[2][i] },
                     most = middle(times);
        reference.least[i] = times[0] > 0 && times[1] > 0 && times[2] > 0 ? reference.least[i] : 0;
        reference.most[i] =
            reference.least[i] > 0 && most > reference.least[i] ? most : reference.least[i];
    }
    return reference;
}

static void follow(char *bytes, size_t room, int partner)
{
    MPI_Status status;
    while (real.Recv(bytes, (int)room, MPI_BYTE, partner, MPI_ANY_TAG, job.comm, &status) ==
               MPI_SUCCESS &&
           status.MPI_TAG != TAG_LAST) {
        if (status.MPI_TAG == TAG_PAUSE)
            pause_here();
        else if (real.Send(bytes, 0, MPI_BYTE, partner, TAG_ANSWERED, job.comm) != MPI_SUCCESS)
            return;
    }
}

/* First the other one says whether it has the memory. */
struct reference reference_measure(int partner, int leads, double largest)
{
    struct reference reference = { { 0 }, { 0 } };
    const size_t room = reference_bytes(REFERENCES - 1);
    char *bytes = malloc(room);
    int ready = bytes != NULL;
    if (bytes)
        memset(bytes, 1, room); /* pages that were never written to are all one page of zeros, which
                                   lies in the nearest cache */
    if (leads &&
        real.Recv(&ready, 1, MPI_INT, partner, TAG_READY, job.comm, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS &&
        ready)
        reference = lead(bytes, partner, largest);
    else if (!leads && real.Send(&ready, 1, MPI_INT, partner, TAG_READY, job.comm) == MPI_SUCCESS &&
             ready)
        follow(bytes, room, partner);
    free(bytes);
    return reference;
}

double reference_size(double bytes)
{
    static const double rounding = 1. / 16;
    for (int i = 0; i < REFERENCES; i++) {
        const double known = (double)reference_bytes(i);
        if (bytes > known * (1 - rounding) && bytes < known * (1 + rounding))
            return known;
    }
    return bytes;
}

double reference_time(const double times[REFERENCES], double bytes)
{
    int above = 0;
    while (above < REFERENCES && times[above] > 0 && (double)reference_bytes(above) < bytes)
        above++;
    if (above == 0)
        return times[0];
    if (above == REFERENCES || !(times[above] > 0))
        above--; /* beyond the largest */
    if (above == 0)
        return 0;
    const double low = (double)reference_bytes(above - 1), high = (double)reference_bytes(above),
                 *time = &times[above];
    const double slope = (*time - time[-1]) / (high - low), at = time[-1] + slope * (bytes - low);
    return bytes > high && at < *time
               ? *time
               : at; /* messages of the next size may take less: they go another way */
}
