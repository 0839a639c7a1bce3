#define _GNU_SOURCE
#include "secrets.h"
#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Signs of a secret in the value of a variable that is on the list: a library is told its
 * credentials there, or a list of other variables. */
static const char *const marks[] = { "token",      "secret",     "passw",       "passphrase",
                                     "credential", "jwt",        "cookie",      "authorization",
                                     "bearer",     "apikey",     "api_key",     "api-key",
                                     "access_key", "access-key", "private_key", "private-key",
                                     NULL };
/* How tokens of large services begin. */
static const char *const begins[] = { "eyJ",         "AKIA",   "ASIA",  "ghp_",  "gho_", "ghs_",
                                      "github_pat_", "glpat-", "xoxb-", "xoxp-", "hvs.", NULL };
enum { TOKEN = 16 };

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || (text[length] && strchr("_.-", text[length])))
        length++;
    return length;
}

static int is_assigned(const char *value, const char *mark)
{
    for (const char *at = value; (at = strcasestr(at, mark)); at++) {
        const char *behind = at + name_length(at);
        behind += strspn(behind, "\"' ");
        if (*behind == '=' || *behind == ':' || !strcasecmp(mark, "bearer"))
            return 1;
    }
    return 0;
}

static int is_token(const char *value, const char *begin)
{
    for (const char *at = value; (at = strstr(at, begin)); at++)
        if ((at == value || !isalnum((unsigned char)at[-1])) && name_length(at) >= TOKEN)
            return 1;
    return 0;
}

static int has_user_in_address(const char *value)
{
    for (const char *at = value; (at = strstr(at, "://")); at += 3)
        if (at[3 + strcspn(at + 3, "@/, ")] == '@')
            return 1;
    return 0;
}

int holds_secret(const char *value)
{
    int found = has_user_in_address(value);
    for (const char *const *mark = marks; *mark && !found; mark++)
        found = is_assigned(value, *mark);
    for (const char *const *begin = begins; *begin && !found; begin++)
        found = is_token(value, *begin);
    return found;
}
