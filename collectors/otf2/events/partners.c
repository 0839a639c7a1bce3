/* With whom an event is: communicators and ranks that it names. */
#include "events.h"

const struct communicator *communicator_of(struct stream *stream, uint32_t reference)
{
    const struct definitions *definitions = stream->definitions;
    if (reference >= definitions->communicator_count ||
        !definitions->communicators[reference].defined)
        die("it uses a communicator that is not defined");
    return &definitions->communicators[reference];
}

static int is_member(const uint32_t *ranks, uint32_t count, uint32_t rank)
{
    for (uint32_t i = 0; i < count; i++)
        if (ranks[i] == rank)
            return 1;
    return 0;
}

/* World rank of a partner in messages. */
uint32_t partner(struct stream *stream, const struct communicator *communicator, uint32_t rank)
{
    const uint32_t own = (uint32_t)stream->own->number;
    const int across = communicator->far && is_member(communicator->ranks, communicator->size, own);
    const uint32_t *ranks = across ? communicator->far : communicator->ranks,
                   size = across ? communicator->size_far : communicator->size;
    if (rank >= size)
        die("a message in it goes to or comes from a rank that is not there");
    return communicator->is_self ? own : ranks[rank];
}

unsigned path_to(const struct stream *stream, uint32_t peer)
{
    const int32_t *host_of = stream->definitions->host_of;
    return peer == (uint32_t)stream->own->number           ? CLASS_SELF
           : host_of[peer] == host_of[stream->own->number] ? CLASS_INTRA_NODE
                                                           : CLASS_OTHER;
}
