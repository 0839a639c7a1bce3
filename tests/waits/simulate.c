/* Many ranks in one process, with the collector's own sampling, matching and strata: how far is the
 * estimated waiting from the true one?
 *
 * Usage: simulate PATTERN RANKS INSTANCES SEED      output: "true SECONDS estimated SECONDS
 * deviation SECONDS sampled N" */
#include "matching.h"
#include "samples.h"
#include "strata.h"
#include "wait_strata.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;
static double uniform(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* Nanoseconds that a rank computes before instance k. */
static double work(const char *pattern, int rank, int ranks, long k, long instances)
{
    if (!strcmp(pattern, "linear"))
        return 1e4 + 1e4 * rank / ranks;
    if (!strcmp(pattern, "random") || !strcmp(pattern, "stalls"))
        return 1e4 + 5e4 * uniform();
    if (!strncmp(pattern, "every", 5))
        return 1e4 + (rank == 1 && k % atol(pattern + 5) == 0
                          ? strstr(pattern, "long") ? 1e4 * (double)atol(pattern + 5) : 2e5
                          : 0);
    if (!strcmp(pattern, "once"))
        return 1e4 + 1e3 * uniform() +
               (rank == ranks - 1 && k % 10000 == instances % 10000 / 3 ? 2e8 : 0);
    if (!strcmp(pattern, "bursts"))
        return 1e4 + (rank == 0 && k % (instances / 20) < 50 ? 1e7 : 0);
    if (!strcmp(pattern, "drift"))
        return 1e4 + (rank == 0 ? 1e5 * (double)k / (double)instances : 0);
    if (!strcmp(pattern, "pareto"))
        return 1e4 + 1e3 * pow(1 - uniform(), -1 / 1.5);
    return 1e4;
}

/* Nanoseconds for which a rank loses its core in a call, after all have come. */
static double stall(const char *pattern)
{
    return !strcmp(pattern, "stalls") && uniform() < 1.0 / 20000 ? 4e6 * (1 + uniform()) : 0;
}

struct rank {
    struct reservoir reservoirs[RESERVOIRS];
    struct sample *samples;
    uint64_t state, last_exit;
    double clock;
    struct stratum strata[STRATA];
};

static void keep(struct rank *rank, uint64_t enter, uint64_t exit, int ranks)
{
    struct reservoir *world = &rank->reservoirs[RESERVOIR_WORLD];
    uint64_t chosen = sample_next(&rank->state);
    unsigned cycle = sample_cycle(exit - rank->last_exit);
    struct sample sample = { .key = chosen,
                             .chosen = (uint32_t)(chosen >> 32),
                             .post = enter,
                             .enter = enter,
                             .exit = exit,
                             .members = (uint32_t)ranks,
                             .role = ROLE_POSTS | ROLE_WAITS,
                             .cycle = (uint8_t)cycle };
    rank->strata[stratum_of(exit - enter)].time += 1e-9 * (double)(exit - enter);
    rank->last_exit = exit;
    if (sample_is_kept(world, chosen, cycle))
        sample_add(world, rank->samples, &sample);
}

static void add_samples(const struct rank *rank, int number, struct met_list *list)
{
    const struct reservoir *world = &rank->reservoirs[RESERVOIR_WORLD];
    for (uint32_t i = 0; i < world->count; i++) {
        const struct sample *sample = &rank->samples[world->first + i];
        met_add(list, &(struct met){ .key = sample->key,
                                     .late = 1e-9 * (double)sample->post,
                                     .first_exit = 1e-9 * (double)sample->exit,
                                     .probability = (float)sample_probability(world, sample),
                                     .who = number,
                                     .members = sample->members,
                                     .seen = 1,
                                     .hosts = 1 });
    }
}

int main(int argc, char **argv)
{
    const char *pattern = argv[argc - 4];
    const int ranks = atoi(argv[argc - 3]);
    const long instances = atol(argv[argc - 2]);
    struct rank *all = calloc((size_t)ranks, sizeof *all);
    double *enter = malloc((size_t)ranks * sizeof *enter), truth = 0, estimate = 0, deviation = 0;
    uint64_t sampled = 0;
    seed = (uint64_t)atol(argv[argc - 1]) * 7919 + 1;
    for (int i = 0; i < ranks; i++) {
        samples_start(all[i].reservoirs);
        if (!strcmp(pattern,
                    "stalls")) /* as messages are sampled, which have no cycle that all know */
            all[i].reservoirs[RESERVOIR_WORLD].boosted = 0;
        all[i].samples = malloc(SAMPLE_ROWS * sizeof *all[i].samples);
        all[i].state = seed; /* the same on all members */
    }
    for (long k = 0; k < instances; k++) {
        double last = 0;
        for (int i = 0; i < ranks; i++) {
            enter[i] = all[i].clock + work(pattern, i, ranks, k, instances);
            last = enter[i] > last ? enter[i] : last;
        }
        for (int i = 0; i < ranks; i++) {
            double exit = last + 2000 + 200 * (i % 3) + stall(pattern);
            truth += 1e-9 * (last - enter[i]);
            keep(&all[i], (uint64_t)enter[i], (uint64_t)exit, ranks);
            all[i].clock = exit;
        }
    }
    struct met_list known = { NULL, 0, 0, NULL };
    for (int i = 0; i < ranks; i++)
        add_samples(&all[i], i, &known);
    for (int i = 0; i < ranks; i++) {
        const struct reservoir *world = &all[i].reservoirs[RESERVOIR_WORLD];
        double sum = 0;
        for (uint32_t s = 0; s < world->count; s++) {
            const struct sample *sample = &all[i].samples[world->first + s];
            const struct met *met = met_find(&known, sample->key);
            if (!met || !met_is_sound(met, 0))
                continue;
            sampled++;
            stratum_add(&all[i].strata[stratum_of(sample->exit - sample->enter)],
                        met->late - 1e-9 * (double)sample->enter,
                        1e-9 * (double)(sample->exit - sample->enter), (double)met->probability);
        }
        for (int number = 0; number < STRATA; number++) {
            double variance;
            estimate += stratum_wait(&all[i].strata[number], (unsigned)ranks, &variance);
            sum += variance;
        }
        deviation += sqrt(sum);
    }
    printf("true %.9f estimated %.9f deviation %.9f sampled %lu\n", truth, estimate, deviation,
           (unsigned long)(sampled / (uint64_t)ranks));
    return 0;
}
