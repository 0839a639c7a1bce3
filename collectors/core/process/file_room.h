/* Is there room for a file? */
#ifndef ADVISOR_FILE_ROOM_H
#define ADVISOR_FILE_ROOM_H

#include <stdint.h>

int file_may_grow_to(uint64_t size); /* does the user's limit of the size of files allow it? */
int folder_holds(const char *folder,
                 uint64_t size); /* is it on a file system of this host with that much room? */

#endif
