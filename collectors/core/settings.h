/* What the user's environment says: to us, and to the MPI library. */
#ifndef ADVISOR_SETTINGS_H
#define ADVISOR_SETTINGS_H

#include <stddef.h>

const char *setting_output(void);  /* ADVISOR_OUTPUT: folder for merged.profile, "" if not set */
const char *setting_run(void);     /* ADVISOR_RUN: letters, digits, - _ only; "run" if not set */
int setting_gather(void);          /* ADVISOR_GATHER: 0 if "no": ranks must not communicate with each other for us */

/* Fills `settings` with lines name \t value \t source \n of the variables in the allow-list. */
void settings_from_environment(char *settings, size_t size);
void settings_append(char *settings, size_t size, const char *name, const char *value, const char *source);

#endif
