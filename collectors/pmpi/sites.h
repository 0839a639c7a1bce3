/* Call sites: which file a return address lies in. */
#ifndef ADVISOR_SITES_H
#define ADVISOR_SITES_H

#include <stdint.h>

void sites_start(void);   /* from now on event_locate works */

#endif
