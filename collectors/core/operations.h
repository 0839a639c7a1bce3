/* The names of the operations, by number; made by pmpi/generate.py. 0 is "(overflowed)". */
#ifndef ADVISOR_OPERATIONS_H
#define ADVISOR_OPERATIONS_H

extern const char *const operation_names[];
extern const unsigned char operation_kinds[]; /* enum phase_kind */
extern const unsigned operation_count;
extern const char collector_build[]; /* equal for all ranks that run the same collector */

/* Who waits for whom in a collective operation, and … */
enum operation_part {
    PART_NONE,
    PART_ALL,
    PART_FROM_ROOT,
    PART_TO_ROOT,
    PART_PREFIX,
    PART_NEIGHBOURS,
    PART_WHO = 7,
    PART_STARTS = 8,  /* … not in this call, but in the one that completes its request */
    PART_VARIES = 16, /* … nobody for a member that gives nothing */
};
extern const unsigned char operation_parts[];

#endif
