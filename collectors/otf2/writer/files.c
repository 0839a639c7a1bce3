/* MPI-IO as records of OTF2, in the way that Score-P 8 writes them. */
#include "writer.h"
#include <string.h>

static OTF2_IoAccessMode access_of(unsigned modes)
{
    return modes & FILE_READS ? modes & FILE_WRITES ? OTF2_IO_ACCESS_MODE_READ_WRITE
                                                    : OTF2_IO_ACCESS_MODE_READ_ONLY
                              : OTF2_IO_ACCESS_MODE_WRITE_ONLY;
}

static void put_open(struct writer *writer, struct place *place, uint32_t file, uint64_t time)
{
    const unsigned modes = writer->files[file].modes;
    PUT(IoCreateHandle, file, access_of(modes),
        (modes & FILE_IS_MADE ? OTF2_IO_CREATION_FLAG_CREATE : 0) |
            (modes & FILE_IS_NEW ? OTF2_IO_CREATION_FLAG_EXCLUSIVE : 0),
        (modes & FILE_GROWS ? OTF2_IO_STATUS_FLAG_APPEND : 0) |
            (modes & FILE_IS_TEMPORARY ? OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE : 0));
}

static uint64_t match_of(const struct trace_event *part)
{
    return 2 * part->request + 1;
}

int file_begun(struct writer *writer, const struct source *source, struct place *place,
               struct opened *opened, const struct trace_event *part, uint64_t time)
{
    const uint32_t file = meaning_of(&source->files, part->communicator).index;
    const int starts = part->kind == EVENT_START_READ || part->kind == EVENT_START_WRITE;
    const OTF2_IoOperationMode mode = part->kind == EVENT_READ || part->kind == EVENT_START_READ
                                          ? OTF2_IO_OPERATION_MODE_READ
                                          : OTF2_IO_OPERATION_MODE_WRITE;
    if (!starts && part->kind != EVENT_READ && part->kind != EVENT_WRITE)
        return 0;
    PUT(IoOperationBegin, file, mode,
        (starts ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING : 0) |
            (part->tag & 1 ? OTF2_IO_OPERATION_FLAG_COLLECTIVE : 0),
        part->bytes, starts ? match_of(part) : 2 * ++opened->matches);
    if (starts)
        request_opened(opened, part->request);
    return 1;
}

int file_ended(struct writer *writer, const struct source *source, struct place *place,
               struct opened *opened, const struct trace_event *part, uint64_t time)
{
    const uint32_t file = meaning_of(&source->files, part->communicator).index;
    switch (part->kind) {
    case EVENT_FILE:
        put_open(writer, place, file, time);
        return 1;
    case EVENT_FILE_CLOSED:
        PUT(IoDestroyHandle, file);
        return 1;
    case EVENT_READ:
    case EVENT_WRITE:
        PUT(IoOperationComplete, file, part->request, 2 * opened->matches);
        return 1; /* the only one of its call */
    case EVENT_START_READ:
    case EVENT_START_WRITE:
        PUT(IoOperationIssued, file, match_of(part));
        return 1;
    case EVENT_FILE_DONE:
        if (request_ended(opened, part->request))
            PUT(IoOperationComplete, file, part->bytes, match_of(part));
        return 1;
    default:
        return 0;
    }
}

/* Several handles may be of one file. */
static uint32_t file_of(const struct writer *writer, uint32_t handle)
{
    uint32_t first = 0;
    while (strcmp(writer->files[first].name, writer->files[handle].name))
        first++;
    return first;
}

void files_define(OTF2_GlobalDefWriter *to, const struct writer *writer, uint32_t *strings)
{
    if (!writer->file_count)
        return;
    check(OTF2_GlobalDefWriter_WriteString(to, (*strings)++, "MPI-IO"));
    check(OTF2_GlobalDefWriter_WriteString(to, (*strings)++, "MPI I/O"));
    check(OTF2_GlobalDefWriter_WriteIoParadigm(to, 0, *strings - 2, *strings - 1,
                                               OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                               OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL));
    for (uint32_t i = 0; i < writer->file_count; i++) {
        const uint32_t communicator =
            writer->communicators[writer->files[i].communicator].reference;
        if (communicator == NONE)
            continue;
        if (file_of(writer, i) == i) {
            check(OTF2_GlobalDefWriter_WriteString(to, *strings, writer->files[i].name));
            check(OTF2_GlobalDefWriter_WriteIoRegularFile(to, i, (*strings)++,
                                                          OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        }
        check(OTF2_GlobalDefWriter_WriteIoHandle(to, i, 0, file_of(writer, i), 0,
                                                 OTF2_IO_HANDLE_FLAG_NONE, communicator,
                                                 OTF2_UNDEFINED_IO_HANDLE));
    }
}
