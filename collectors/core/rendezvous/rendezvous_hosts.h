/* Several hosts: their counts meet in the result folder, which all of them see. */
#ifndef ADVISOR_RENDEZVOUS_HOSTS_H
#define ADVISOR_RENDEZVOUS_HOSTS_H

#include <stdint.h>

enum { RENDEZVOUS_TOGETHER = 1, RENDEZVOUS_APART = 2 };

/* One process a host: `count` processes here, `sum` of their ranks; `complete`: as many as the
 * launcher started here. */
uint32_t rendezvous_hosts(int count, uint64_t sum, int size, int complete);

#endif
