/* Call sites: which file a return address lies in. */
#ifndef ADVISOR_SITES_H
#define ADVISOR_SITES_H

#include <stdint.h>

uint64_t sites_own_image(void);       /* bytes of our own library in memory */
uint16_t sites_row(const char *path); /* of the module table, for any text; 0: no room */
void sites_start(void);               /* from now on event_locate works */

#endif
