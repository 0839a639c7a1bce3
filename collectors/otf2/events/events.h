#ifndef ADVISOR_OTF2_EVENTS_H
#define ADVISOR_OTF2_EVENTS_H

#include "stream.h"

/* Instances are numbered in each series of its own. */
enum series {
    SERIES_CALLS,
    SERIES_NONBLOCKING,
    SERIES_WINDOWS,
    SERIES_NEIGHBOURS,
    SERIES_POSTS,
    SERIES_COMPLETES,
    SERIES_LOCKS,
    SERIES_STARTED_NEIGHBOURS
};
struct collective {
    unsigned operation;
    uint32_t root, place;
    uint64_t sent, received;
    const struct communicator *communicator;
};

void region_callbacks(OTF2_EvtReaderCallbacks *calls);
void message_callbacks(OTF2_EvtReaderCallbacks *calls);
void collective_callbacks(OTF2_EvtReaderCallbacks *calls);
void onesided_callbacks(OTF2_EvtReaderCallbacks *calls);
void file_callbacks(OTF2_EvtReaderCallbacks *calls);
uint64_t series_key(unsigned series, uint32_t reference);
void take_part(struct stream *stream, struct collective *collective, uint32_t reference,
               uint64_t series);
void meet_neighbours(struct stream *stream, OTF2_AttributeList *attributes);
const struct communicator *communicator_of(struct stream *stream, uint32_t reference);
uint32_t partner(struct stream *stream, const struct communicator *communicator,
                 uint32_t rank); /* its world rank */
unsigned path_to(const struct stream *stream, uint32_t peer);
void count_sent(struct stream *stream, uint32_t peer, uint64_t bytes);
void start(struct stream *stream, uint64_t id, struct queue *queue, unsigned kind);

#endif
