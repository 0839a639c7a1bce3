#include "abort.h"
#include <unistd.h>

void group_abort(void)
{
    _exit(1);
}
