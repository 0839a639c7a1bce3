/* Which parts of calls make sense: of things that are defined, with a partner that is there. */
#include "writer.h"

enum {
    ANYBODY = 1,
    ALL = 2,
    COLLECTIVE = 4,
    GROUP = 8,
    STARTS = 16,
    WINDOW = 32,
    FILES = 64
}; /* ANYBODY: no partner is named */
static const uint8_t needs[EVENT_KINDS] = {
    [EVENT_START_RECEIVE] = ANYBODY | STARTS,
    [EVENT_START_SEND] = STARTS,
    [EVENT_CANCELLED] = ANYBODY,
    [EVENT_COLLECTIVE] = ANYBODY | COLLECTIVE,
    [EVENT_START_COLLECTIVE] = ANYBODY | COLLECTIVE | STARTS,
    [EVENT_COLLECTED] = ANYBODY | COLLECTIVE,
    [EVENT_PUT] = WINDOW,
    [EVENT_GET] = WINDOW,
    [EVENT_ATOMIC] = WINDOW,
    [EVENT_SYNCHRONISE] = WINDOW,
    [EVENT_WINDOW] = WINDOW,
    [EVENT_WINDOW_FREED] = WINDOW,
    [EVENT_LOCK] = WINDOW,
    [EVENT_UNLOCK] = WINDOW,
    [EVENT_MEET] = WINDOW | GROUP,
    [EVENT_NEIGHBOURS] = ANYBODY | GROUP,
    [EVENT_LOCK_ALL] = WINDOW | ALL,
    [EVENT_UNLOCK_ALL] = WINDOW | ALL,
    [EVENT_FLUSH] = WINDOW | ALL,
    [EVENT_REMOTE_DONE] = WINDOW | STARTS,
    [EVENT_START_NEIGHBOURS] = ANYBODY | ALL | COLLECTIVE | GROUP | STARTS,
    [EVENT_NEIGHBOURS_DONE] = ANYBODY | ALL | COLLECTIVE | GROUP,
    [EVENT_FILE] = FILES,
    [EVENT_FILE_CLOSED] = FILES,
    [EVENT_READ] = FILES,
    [EVENT_WRITE] = FILES,
    [EVENT_START_READ] = FILES | STARTS,
    [EVENT_START_WRITE] = FILES | STARTS,
    [EVENT_FILE_DONE] = FILES | STARTS
};

static int is_collective(const struct writer *writer, const struct source *source, uint16_t number)
{
    const uint32_t operation = meaning_of(&source->operations, number).index;
    return operation != NONE && collective_started(writer->operations[operation]) >= 0;
}

/* The communicator that it is on; NONE: not defined. */
static uint32_t communicator_of(const struct writer *writer, const struct source *source,
                                const struct trace_event *part, unsigned need)
{
    const struct numbers *numbers = need & WINDOW  ? &source->windows
                                    : need & FILES ? &source->files
                                                   : &source->communicators;
    const uint32_t index = meaning_of(numbers, part->communicator).index;
    return index == NONE   ? NONE
           : need & WINDOW ? writer->windows[index].communicator
           : need & FILES  ? writer->files[index].communicator
                           : index;
}

static int is_good(const struct writer *writer, const struct source *source,
                   const struct trace_event *part, unsigned need,
                   const struct communicator *communicator)
{
    const int32_t partners =
        communicator->size > communicator->size_far ? communicator->size : communicator->size_far;
    if (!part->kind || part->kind == EVENT_CALL || (need & STARTS && !part->request))
        return 0;
    if ((part->peer >= partners && !(need & ANYBODY && need & ALL)) ||
        (part->peer < (need & ALL ? -1 : 0) && !(need & ANYBODY)))
        return 0;
    return (!(need & GROUP) || meaning_of(&source->sets, (uint32_t)part->tag).index != NONE) &&
           (!(need & COLLECTIVE) || is_collective(writer, source, part->operation));
}

int part_makes_sense(struct writer *writer, const struct source *source,
                     const struct trace_event *part)
{
    const unsigned need = part->kind < EVENT_KINDS ? needs[part->kind] : 0;
    if (part->kind == EVENT_LEVEL)
        return 1;
    if (part->kind == EVENT_COUNTER) {
        const int known = meaning_of(&source->counters, (uint32_t)part->tag).index != NONE;
        writer->senseless += !known;
        return known;
    }
    const uint32_t index =
        part->kind < EVENT_KINDS ? communicator_of(writer, source, part, need) : NONE;
    if (index != NONE && writer->communicators[index].reference == NONE) {
        writer->unplaced++;
        return 0;
    }
    const int good =
        index != NONE && is_good(writer, source, part, need, &writer->communicators[index]);
    writer->senseless += !good;
    return good;
}
