/* Matches what the ranks kept of the same instance: who arrived last, and when.
 *
 * Each key has one row. Lists are put together on the way up a tree; an instance of which all
 * members have been seen is over and goes no further. Times are seconds on the clock of rank 0. */
#ifndef ADVISOR_MATCHING_H
#define ADVISOR_MATCHING_H

#include <stddef.h>
#include <stdint.h>

struct met {
    uint64_t key;
    double late;       /* when the last one came; -INFINITY: nobody yet whom others wait for */
    double back;       /* of a message: when who had posted its receive came back to complete it;
                          -INFINITY: it received in the call that posted. Of a rooted call: when the
                          last of those came that data goes to */
    double first_exit; /* of those that cannot leave before `late`; INFINITY: none of them yet */
    float probability; /* of being kept, least over the members */
    int32_t who;       /* world rank of the last one, -1 */
    int32_t taker;     /* … of whom `back` tells, of a rooted call */
    int32_t check;     /* see struct sample */
    uint32_t members, seen; /* seen UINT32_MAX: its members disagree on what it was */
    float gap; /* longest time outside MPI before one of those that others wait for came; INFINITY:
                  not known of all (struct sample) */
    uint32_t hosts;        /* 1 + host if all seen so far are on that host, UINT32_MAX if not */
    uint16_t before, size; /* of a collective call with a gap: the operation before it; of a
                              message: the code of its size (samples.h), which its sender knows */
};

/* `places`: twice as many as there is room for rows, a power of two: number of a row plus one, by
 * its key; and where to look next. */
struct met_list {
    struct met *rows;
    size_t count, room;
    uint32_t *places;
};

/* Memory for that many rows in all. 0: none, the list is as it was. */
int met_reserve(struct met_list *list, size_t rows);
/* To the row of its key, or a new one; left out where there is no memory. */
void met_add(struct met_list *list, const struct met *met);
/* NULL: no row of that key. */
struct met *met_find(const struct met_list *list, uint64_t key);
void met_unite(struct met *into, const struct met *from);
/* What is neither complete nor never will be: if that is more than `most` rows, about as many, of
 * the same keys on all ranks. The list's own rows if they all are, else a copy, to be freed. */
struct met *met_open(const struct met_list *list, size_t most, size_t *count);
/* Of the rows of another one, in their place, those that are over here: how many. */
size_t met_answer(const struct met_list *list, struct met *rows, size_t count);
/* The answer to this one. */
void met_learn(const struct met_list *list, const struct met *rows, size_t count);
/* Complete, and nobody left before the last one came by more than `tolerance` seconds. */
int met_is_sound(const struct met *met, double tolerance);
void met_free(struct met_list *list);

#endif
