/* Which function the library calls for which event of a location. */
#include "events.h"

static OTF2_CallbackCode flushes(EVENT, OTF2_TimeStamp end)
{
    BEGIN;
    (void)end;
    stream->own->rank->flushes++;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_EvtReaderCallbacks *stream_callbacks(void)
{
    OTF2_EvtReaderCallbacks *calls = OTF2_EvtReaderCallbacks_New();
    if (!calls)
        die("there is not enough memory");
    region_callbacks(calls);
    message_callbacks(calls);
    collective_callbacks(calls);
    onesided_callbacks(calls);
    file_callbacks(calls);
    metric_callbacks(calls);
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(calls, flushes);
    return calls;
}
