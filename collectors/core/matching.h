/* Putting together what the ranks kept of the same instance: who came last, and when.
 *
 * A list is sorted by key. Lists are merged on the way up a tree; an instance of which all members have been seen is complete
 * and goes no further. Times are seconds on the clock of rank 0. */
#ifndef ADVISOR_MATCHING_H
#define ADVISOR_MATCHING_H

#include <stddef.h>
#include <stdint.h>

struct met {
    uint64_t key;
    double late;              /* when the last one came; -INFINITY: nobody yet whom others wait for */
    double first_exit;        /* of those that cannot leave before `late`; INFINITY: none of them yet */
    float probability;        /* of being kept, least over the members */
    int32_t who;              /* world rank of the last one, -1 */
    int32_t check;            /* see struct sample */
    uint32_t members, seen;   /* seen UINT32_MAX: its members disagree on what it was */
    float gap;                /* longest time outside MPI before one of those that others wait for came; INFINITY: not known of all (struct sample) */
    uint32_t hosts;           /* 1 + host if all seen so far are on that host, UINT32_MAX if not */
    uint16_t before, size;    /* of a collective call with a gap: the operation before it; of a message: the code of its size (samples.h), which its sender knows */
};

struct met_list { struct met *rows; size_t count, room; };   /* of each key one row; `room`: rows that there is memory for */

/* Sorted by key; rows of the same key become one. Keys are hashes: they are told apart by their first bits. 0: no memory. */
int met_sort(struct met_list *list);
/* The rows of `other` into `list`. 0: no memory, `list` is as it was. */
int met_add(struct met_list *list, const struct met_list *other);
/* Moves what is complete, or will never be, from `list` to `complete`; both stay sorted. 0: no memory. */
int met_part(struct met_list *list, struct met_list *complete);
const struct met *met_find(const struct met_list *list, uint64_t key);
/* The rows of `all` whose keys occur in `asked`: what a child of the tree wants to know. NULL rows: none, or no memory. */
struct met_list met_select(const struct met_list *all, const struct met_list *asked);
/* Complete, and nobody left before the last one came by more than `tolerance` seconds. */
int met_is_sound(const struct met *met, double tolerance);

#endif
