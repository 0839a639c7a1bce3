#include "unsplit_waits.h"
#include "operations.h"
#include "unsampled.h"
#include <string.h>

static const struct {
    enum unsampled bit;
    const char *subject, *reason;
} noted[] = {
    { UNSAMPLED_ANY_SOURCE, "waits.messages",
      "Messages of a communicator were not split into waiting and moving after a receive from "
      "MPI_ANY_SOURCE whose sender is "
      "not told, is persistent, or was one of more than 128 at a time: from then on it is not "
      "known which message was which" },
    { UNSAMPLED_MIXED, "waits.messages",
      "Messages were not split into waiting and moving while receives from MPI_ANY_SOURCE and from "
      "their sender were open on a communicator "
      "at the same time: which of them a message belongs to is told too late" },
    { UNSAMPLED_COMMUNICATORS, "waits.communicators",
      "Calls on some communicators were not split into waiting and moving: more than 65 000 of "
      "them, or communicators of more than 1000 different lists of members, "
      "found no room in the tables" },
    { UNSAMPLED_CANCELLED, "waits.messages",
      "Messages were not split into waiting and moving after a request was cancelled" },
    { UNSAMPLED_THREADS, "waits.messages",
      "Messages were not split into waiting and moving after a second thread of a rank called MPI: "
      "their order is not known then" },
    { UNSAMPLED_NEIGHBOURS, "waits.neighbours",
      "Neighbourhood operations with more than 64 neighbours were not split into waiting and "
      "moving" },
    { UNSAMPLED_GROUP, "waits.groups",
      "Epochs of one-sided communication with groups of more than 64 ranks were not split into "
      "waiting and moving" },
    { UNSAMPLED_ALL_LOCKED, "waits.locks",
      "Calls on all targets of windows of more than 64 ranks, and flushes of ranks that made such "
      "calls, were not split into waiting and moving; waits for locks that "
      "MPI_Win_lock_all took there were taken for moving" },
    { UNSAMPLED_PUT_OFF, "waits.locks",
      "MPI_Win_unlock_all, and flushes of all targets, were not split into waiting and moving on "
      "some ranks: locks of others ended in the meantime, and where the library puts off "
      "locking it is not known for which of them such a call waited" },
    { UNSAMPLED_LOCKS, "waits.locks",
      "Locks of windows were not split into waiting and moving: two threads of a rank took or gave "
      "back some at the same moment, and not all were kept" },
};

/* Kinds of calls for which nothing is kept that would tell: beginnings of names, or a class. */
static const struct {
    const char *beginning, *class, *subject, *reason;
} never[] = {
    { "Ineighbor_", NULL, "waits.neighbours",
      "Nonblocking neighbourhood operations were not split into waiting and moving: one request "
      "has many partners" },
    { "Win_test", NULL, "waits.groups",
      "Epochs that MPI_Win_test ended were not split into waiting and moving" },
    { NULL, "inter", "waits.groups",
      "Collective operations between two groups were not split into waiting and moving: who waits "
      "for whom differs by operation and side" },
};

static void say(struct text *text, const char *subject, const char *reason, const char **said)
{
    if (*said != reason)
        text_add(text, "%s{\"subject\":\"%s\",\"reason\":\"%s\",\"collect\":\"\"}",
                 text_separator(text), subject, reason);
    *said = reason;
}

static int was_called(const struct merged *merged, const char *beginning, const char *class)
{
    const struct profile_calls *calls = merged->tables[TABLE_CALLS].rows;
    for (size_t i = 0; i < merged->tables[TABLE_CALLS].count; i++) {
        const unsigned operation = calls[i].operation, in = calls[i].class;
        if (beginning && strncmp(operation_names[operation], beginning, strlen(beginning)))
            continue;
        if (!class || (in < CLASS_COUNT && !strcmp(class_names[in], class) &&
                       operation_kinds[operation] == KIND_COLLECTIVE))
            return 1;
    }
    return 0;
}

void unsplit_waits_gaps(struct text *text, const struct merged *merged)
{
    const char *said = NULL;
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++)
        if (merged->unsampled & noted[i].bit)
            say(text, noted[i].subject, noted[i].reason, &said);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (was_called(merged, never[i].beginning, never[i].class))
            say(text, never[i].subject, never[i].reason, &said);
}
