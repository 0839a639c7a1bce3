#ifndef ADVISOR_OTF2_EVENTS_H
#define ADVISOR_OTF2_EVENTS_H

#include "stream.h"

/* The parameters that all callbacks of events begin with, and what they all do first. */
#define EVENT OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data, OTF2_AttributeList *attributes
#define BEGIN struct stream *stream = data; stream->time = time; (void)location, (void)position, (void)attributes

void message_callbacks(OTF2_EvtReaderCallbacks *calls);
const struct communicator *communicator_of(struct stream *stream, uint32_t reference);
uint32_t partner(struct stream *stream, const struct communicator *communicator, uint32_t rank);   /* its world rank */
unsigned path_to(const struct stream *stream, uint32_t peer);
void count_sent(struct stream *stream, uint32_t peer, uint64_t bytes);
void start(struct stream *stream, uint64_t id, struct queue *queue, unsigned kind);

#endif
