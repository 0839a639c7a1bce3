/* Regions that the program marks: what ranks do in each. Nested regions are subtracted from the
 * outer ones. */
#include "stream.h"

static void leave(struct stream *stream, uint64_t time)
{
    if (stream->marked && time > stream->marked_since)
        stream->own->rank->marked[stream->marked - 1].ticks += time - stream->marked_since;
    stream->marked_since = time;
}

static uint32_t number_of(struct rank *rank, int32_t level, uint32_t name)
{
    size_t i = 0;
    while (i < rank->marked_count &&
           (rank->marked[i].level != level || rank->marked[i].name != name))
        i++;
    if (i == rank->marked_count && i == MOST_MARKED - 1 && level != LEVEL_FOLDED)
        return number_of(rank, LEVEL_FOLDED, 0);
    if (i == rank->marked_count) {
        rank->marked = xrealloc(rank->marked, ++rank->marked_count, sizeof *rank->marked);
        rank->marked[i] = (struct marked){ .level = level, .name = name };
    }
    return (uint32_t)i + 1;
}

/* The innermost region of the program that is open, + 1; 0: none. */
static uint32_t user_region(const struct stream *stream, uint32_t depth)
{
    while (depth > 0 && !stream->definitions->regions[stream->stack[depth - 1]].is_user)
        depth--;
    return depth ? stream->stack[depth - 1] + 1 : 0;
}

/* When it is on the stack, and when it is no longer. */
void marked_user(struct stream *stream, uint32_t region, uint64_t time, int enters)
{
    const uint32_t now = enters ? region + 1 : user_region(stream, stream->depth);
    leave(stream, time);
    stream->marked = now ? number_of(stream->own->rank, (int32_t)(now - 1), now) : 0;
    if (enters)
        stream->own->rank->marked[stream->marked - 1].entries++;
}

/* From the end of the call that says it. */
void marked_level(struct stream *stream, int32_t level, uint64_t time)
{
    leave(stream, time);
    stream->marked = number_of(stream->own->rank, level, 0);
    stream->own->rank->marked[stream->marked - 1].entries++;
}

void marked_end(struct stream *stream, uint64_t time)
{
    leave(stream, time);
    stream->marked = 0;
}
