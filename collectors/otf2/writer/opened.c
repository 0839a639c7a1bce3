/* Which requests have been started and not completed. */
#include "writer.h"
#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct opened *opened, uint64_t id)
{
    size_t at = (id * 0x9E3779B97F4A7C15ull >> 20) & (opened->room - 1);
    while (opened->ids[at] && opened->ids[at] != id)
        at = (at + 1) & (opened->room - 1);
    return at;
}

void request_opened(struct opened *opened, uint64_t id)
{
    if (2 * opened->count >= opened->room) {
        const struct opened old = *opened;
        opened->room = old.room ? 2 * old.room : 256;
        opened->ids = memset(xrealloc(NULL, opened->room, sizeof id), 0, opened->room * sizeof id);
        for (size_t i = 0; i < old.room; i++)
            if (old.ids[i])
                opened->ids[slot_of(opened, old.ids[i])] = old.ids[i];
        free(old.ids);
    }
    const size_t at = slot_of(opened, id);
    opened->count += !opened->ids[at];
    opened->ids[at] = id;
}

/* Ids behind it that were pushed on move back. */
int request_ended(struct opened *opened, uint64_t id)
{
    if (!opened->count || !id || opened->ids[slot_of(opened, id)] != id)
        return 0;
    size_t at = slot_of(opened, id), next = at, mask = opened->room - 1;
    while (opened->ids[next = (next + 1) & mask]) {
        const size_t home = (opened->ids[next] * 0x9E3779B97F4A7C15ull >> 20) & mask;
        if (((next - home) & mask) < ((next - at) & mask))
            continue;
        opened->ids[at] = opened->ids[next];
        at = next;
    }
    opened->ids[at] = 0;
    opened->count--;
    return 1;
}

void opened_free(struct opened *opened)
{
    free(opened->ids);
    free(opened->remotes);
}
