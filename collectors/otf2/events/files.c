/* Events of a location: MPI-IO. */
#include "events.h"

/* Whether it is a file of MPI; the call has the class of its communicator then. */
static int is_file(struct stream *stream, uint32_t handle)
{
    const struct definitions *definitions = stream->definitions;
    const uint32_t communicator = handle < definitions->file_count ? definitions->files[handle] : 0;
    if (!communicator || !stream->mpi_depth || stream->call->slice != SLICE_IO)
        return 0;
    stream->class = definitions->communicators[communicator - 1].class;
    return 1;
}

static OTF2_CallbackCode opens(EVENT, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
                               OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status)
{
    BEGIN;
    (void)mode, (void)creation, (void)status;
    is_file(stream, handle);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode closes(EVENT, OTF2_IoHandleRef handle)
{
    BEGIN;
    is_file(stream, handle);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode moves(EVENT, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                               OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t match)
{
    BEGIN;
    (void)mode, (void)flags, (void)match;
    if (is_file(stream, handle)) {
        stream->bytes += bytes;
        stream->has_size = 1;
    }
    return OTF2_CALLBACK_SUCCESS;
}

void file_callbacks(OTF2_EvtReaderCallbacks *calls)
{
    OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(calls, opens);
    OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback(calls, closes);
    OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(calls, moves);
}
