/* The tool interface is not the application's communication: using it must neither disturb nor be
 * counted. */
#include "oracle.h"

void tool_interface(void)
{
    int provided, controls, measures, categories, stamp;
    OUTSIDE(T_init_thread, MPI_THREAD_MULTIPLE, &provided);
    OUTSIDE(T_cvar_get_num, &controls);
    OUTSIDE(T_pvar_get_num, &measures);
    OUTSIDE(T_category_get_num, &categories);
    OUTSIDE(T_category_changed, &stamp);
    VERIFY(controls > 0);
    OUTSIDE_(T_finalize);
}
