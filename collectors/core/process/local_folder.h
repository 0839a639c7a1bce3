/* Folders of this host for what must be quick, best first: memory, $TMPDIR, /tmp; of each a part
 * that only this user can look into, so that nobody else finds, foresees or occupies a name in it.
 */
#ifndef ADVISOR_LOCAL_FOLDER_H
#define ADVISOR_LOCAL_FOLDER_H

#include <stddef.h>

/* The folder of that number, "" for none; NULL at the end. It may not be there before a file was
 * opened in it. */
const char *local_folder(unsigned index);
/* The folder in which it lies, or would lie: which file system that is. */
const char *local_file_system(unsigned index);
/* As open with O_CREAT, for this user alone; the own folder is made. */
int local_open(const char *path, int flags);
/* Remove a file that local_open has made, and the own folder if it was the last in it. */
void local_remove(const char *path);

#endif
