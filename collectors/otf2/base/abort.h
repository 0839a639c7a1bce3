/* The end of all processes that read together. Beside group.h, which itself may have to end them.
 */
#ifndef ADVISOR_OTF2_ABORT_H
#define ADVISOR_OTF2_ABORT_H

void group_abort(void) __attribute__((noreturn));

#endif
