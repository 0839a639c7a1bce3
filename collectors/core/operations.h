/* The names of the operations, by number; made by pmpi/generate.py. 0 is "(folded)". */
#ifndef ADVISOR_OPERATIONS_H
#define ADVISOR_OPERATIONS_H

extern const char *const operation_names[];
extern const char *const operation_groups[];
extern const unsigned operation_count;
extern const char collector_build[]; /* equal for all ranks that run the same collector */

#endif
