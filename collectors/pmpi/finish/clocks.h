/* The clocks of hosts, compared with that of rank 0. */
#ifndef ADVISOR_CLOCKS_H
#define ADVISOR_CLOCKS_H

#include "clock_map.h"

/* Exchanges with rank 0, one rank a host: when all start, and when all end. Collective over the
 * job. */
void clocks_compare(int at_end);
struct clock_map clocks_map(void);

#endif
