/* The definitions of an archive while they are read: references are not resolved yet. */
#ifndef ADVISOR_READING_H
#define ADVISOR_READING_H

#include "trace.h"
#include <stddef.h>

struct group {
    uint64_t *members;
    uint32_t count;
    uint8_t type, is_mpi, of_locations;
};
struct tree_node {
    uint32_t name, class, parent;
};
struct process {
    uint32_t parent;
    int32_t rank;
    uint8_t defined;
};
struct handle {
    uint32_t communicator;
    uint8_t paradigm, defined;
};
struct metric_member {
    uint32_t name;
    int64_t exponent;
    uint8_t mode, base, is_defined;
};
/* Members, or which class it is an instance of, + 1. is_abstract: only its instances have values.
 * is_elsewhere: they are of another place than the thread that reads them. */
struct metric_class {
    uint32_t *members;
    uint32_t instance_of;
    uint8_t count, is_defined, is_abstract, is_elsewhere;
};
struct reading {
    uint32_t io_paradigms[UINT8_MAX + 1]; /* what they are called, + 1 */
    struct handle *handles;
    struct metric_member *members;
    struct metric_class *classes;
    size_t handle_count, member_count, class_count;
    struct definitions *to;
    struct group *groups;
    uint32_t *attributes; /* their names */
    size_t attribute_count;
    struct tree_node *nodes;
    struct process *processes;
    uint32_t *comm_groups, *comm_groups_far, *region_paradigm;
    size_t group_count, node_count, process_count;
};

void definitions_list(
    struct reading *reading,
    OTF2_Reader *reader); /* definitions.c: all that it holds, as it stands there */
void metrics_resolve(struct reading *reading); /* metrics.c: which of the metrics are counters */

#endif
