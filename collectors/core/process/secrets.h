/* Values that must not be recorded, though the name of their variable may be. */
#ifndef ADVISOR_SECRETS_H
#define ADVISOR_SECRETS_H

/* Whether a value speaks of a password, a token or the like, is a token of a known form, or an
 * address with a user in it. */
int holds_secret(const char *value);

#endif
