/* Settings in the user's environment, for the collector and for the MPI library. */
#ifndef ADVISOR_SETTINGS_H
#define ADVISOR_SETTINGS_H

#include <stddef.h>

void settings_keep(void); /* when the process starts: a program may clear its environment */
const char *setting(const char *name); /* of ours, as it was then; NULL: not set */
const char *setting_output(void); /* ADVISOR_OUTPUT: folder for merged.profile, "" if not set */
const char *setting_spool(void);  /* ADVISOR_SPOOL: a centre's spool, "" if not set, or if there is
                                     ADVISOR_OUTPUT */
double setting_finish_seconds(void); /* ADVISOR_FINISH_SECONDS: how long a job may wait for a
                                        profile that nobody asked for */
int setting_keeps(void);             /* does the profile go anywhere? */
const char *setting_run(void);       /* ADVISOR_RUN: letters, digits, - _ only; "run" if not set */
enum gather { GATHER_ASK, GATHER_NO, GATHER_YES };
enum gather setting_gather(void); /* ADVISOR_GATHER: "no", "yes": may ranks communicate with each
                                     other for us? not set: find out */
int setting_full_ranks(void);     /* ADVISOR_FULL_RANKS: in jobs of more ranks than that, calls are
                                     summed up over most of them */
const char *setting_counters(void); /* ADVISOR_COUNTERS: "all" or a list; NULL: none are wanted */
int setting_stacks(void);           /* ADVISOR_STACKS: frames of each stack; 0: none are wanted */
int setting_stacks_of_python(void); /* ADVISOR_STACKS=python: of calls by mpi4py alone */

/* Fills `settings` with lines name \t value \t source \n of the variables in the allow-list. */
void settings_from_environment(char *settings, size_t size);
/* A value that looks like a secret is written as ***. */
void settings_append(char *settings, size_t size, const char *name, const char *value,
                     const char *source);

#endif
