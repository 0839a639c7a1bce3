/* Where this process runs, and the resources that it has used. */
#ifndef ADVISOR_PLACEMENT_H
#define ADVISOR_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

struct usage {
    double user_time, system_time;
    uint64_t voluntary_switches, involuntary_switches, major_faults;
    uint64_t write_requests, write_bytes, read_requests, read_bytes; /* 0: not counted here */
};

void placement_host(char *name, size_t size);
uint32_t placement_cpus(char *list, size_t size); /* the affinity mask: number, and as 0-3,8 */
/* The masks of all busy threads together. A thread library binds the first thread to one core and
 * the others beside it: then the mask of the first says nothing of the process. */
void placement_thread_cpus(char *list, size_t size);
double placement_process_begin(void); /* seconds since the epoch, 0 if unknown */
struct usage placement_usage(void);
uint32_t
placement_busy_threads(double *delay_of_others); /* threads by their CPU time; seconds that those
                                                    but the calling one had no core */

#endif
