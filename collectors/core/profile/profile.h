/* The profile container: FORMAT.md. */
#ifndef ADVISOR_PROFILE_H
#define ADVISOR_PROFILE_H

#include "merged.h"

struct profile_facts {
    const char *library_text, *library_path, *standard, *device, *transport;
    int ranks;
    const char *gap, *missing_counters;
    const char *run; /* an object in JSON; NULL: the launching side knows more of it */
};
void profile_write_facts(struct text *header, const struct merged *merged,
                         const struct profile_facts *facts); /* all that stands before the tables */
int profile_write(const struct merged *merged, const struct profile_facts *facts, const char *path);
int profile_to_spool(const struct merged *merged, const struct profile_facts *facts);

#endif
