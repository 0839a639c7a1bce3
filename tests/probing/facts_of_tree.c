/* Prints what the collector writes down of a host whose /proc, /sys and /dev lie below a folder. */
#include "facts.h"
#include <stdio.h>

int main(int count, char **words)
{
    static char facts[8192];
    facts_below(count > 1 ? words[1] : "", facts, sizeof facts);
    fputs(facts, stdout);
    return 0;
}
