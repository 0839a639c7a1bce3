/* What an archive defines, while it is read: numbers that are not resolved yet. */
#ifndef ADVISOR_READING_H
#define ADVISOR_READING_H

#include "trace.h"
#include <stddef.h>

struct group { uint64_t *members; uint32_t count; uint8_t type, is_mpi, of_locations; };
struct tree_node { uint32_t name, class, parent; };
struct process { uint32_t parent; int32_t rank; uint8_t defined; };
struct handle { uint32_t communicator; uint8_t paradigm, defined; };
struct reading {
    uint32_t io_paradigms[UINT8_MAX + 1];      /* what they are called, + 1 */
    struct handle *handles;
    size_t handle_count;
    struct definitions *to;
    struct group *groups;
    uint32_t *attributes;          /* their names */
    size_t attribute_count;
    struct tree_node *nodes;
    struct process *processes;
    uint32_t *comm_groups, *comm_groups_far, *region_paradigm;
    size_t group_count, node_count, process_count;
};

void definitions_list(struct reading *reading, OTF2_Reader *reader);     /* definitions.c: all that it holds, as it stands there */

#endif
